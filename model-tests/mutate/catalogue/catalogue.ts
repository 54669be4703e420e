/** All mutants, section by section. */
import { UsageError } from "../../errors.ts";
import type { Mutant, Section, Target } from "../mutant.ts";
import { cancel } from "./cancel.ts";
import { endings } from "./endings.ts";
import { frames } from "./frames.ts";
import { jsonl } from "./jsonl.ts";
import { maintenance } from "./maintenance.ts";
import { operation } from "./operation.ts";
import { piLane } from "./pi-lane.ts";
import { piReaders } from "./pi-readers.ts";
import { piRequests } from "./pi-requests.ts";
import { piSettlement } from "./pi-settlement.ts";
import { piStream } from "./pi-stream.ts";
import { readers } from "./readers.ts";
import { recovery } from "./recovery.ts";
import { requests } from "./requests.ts";
import { rules } from "./rules.ts";
import { settlement } from "./settlement.ts";
import { sqlite } from "./sqlite.ts";
import { tools } from "./tools.ts";

const sections: readonly Section[] = [
  frames,
  settlement,
  recovery,
  cancel,
  endings,
  operation,
  requests,
  tools,
  readers,
  rules,
  jsonl,
  sqlite,
  maintenance,
  piStream,
  piSettlement,
  piLane,
  piRequests,
  piReaders,
];

/** A mutant with the section that it stands in. */
export interface Listed {
  readonly section: string;
  readonly target: Target;
  readonly mutant: Mutant;
}

export const catalogue: readonly Listed[] = sections.flatMap(({ name: section, target, mutants }) =>
  mutants.map((mutant) => ({ section, target, mutant })),
);

/** @throws {UsageError} when there is no such mutant. */
export function mutantNamed(name: string): Listed {
  const found = catalogue.find(({ mutant }) => mutant.name === name);
  if (found === undefined) throw new UsageError(`Unknown mutant "${name}". "durability mutate --list" names them all.`);
  return found;
}
