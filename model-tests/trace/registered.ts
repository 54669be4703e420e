/** What the checker compares and notes, by requirement, from the tables that it compares and notes by. */
import type { RequirementId } from "../../machines/index.ts";
import { comparisons } from "../drive/comparisons.ts";
import { anomalies } from "../world/anomalies.ts";

type ByRequirement = Partial<Record<RequirementId, readonly string[]>>;

/** By module of the checker. */
export const registered: Readonly<Record<string, Readonly<ByRequirement>>> = {
  "model-tests/drive/comparisons.ts": byRequirement(Object.entries(comparisons)),
  "model-tests/world/anomalies.ts": byRequirement(Object.entries(anomalies).map(([what, id]) => [what, [id]])),
};

function byRequirement(rules: readonly (readonly [string, readonly RequirementId[]])[]): ByRequirement {
  const found: Partial<Record<RequirementId, string[]>> = {};
  for (const [what, ids] of rules) {
    for (const id of ids) {
      found[id] ??= [];
      found[id].push(what);
    }
  }
  return found;
}
