/** A process that tries mutants one after the other, so that one that loops or eats memory ends with it and not with the campaign. */
import { boundsFor } from "../../machines/index.ts";
import { explore } from "../explore/graph.ts";
import { exploreIndependently } from "../explore/independent.ts";
import { verifyDefaults } from "../verify/options.ts";
import type { Explored } from "../verify/verify.ts";
import { mutantNamed } from "./catalogue/catalogue.ts";
import type { Target } from "./mutant.ts";
import { tryMutant } from "./trial.ts";

/** What the process is asked; it answers with a result. */
export interface TrialTask {
  readonly name: string;
  readonly budgetMs?: number;
}

const explored = new Map<Target, Explored>();

/** pi-agent-core faults at a protocol defect (B3), the reference does not (Q6). */
function exploreOnce(target: Target): Explored {
  const bounds = boundsFor(verifyDefaults.bounds, target === "pi-agent-core" ? "harness" : "response");
  const known = explored.get(target) ?? { graph: explore(bounds), independent: exploreIndependently(bounds) };
  explored.set(target, known);
  return known;
}

process.on("message", ({ name, budgetMs }: TrialTask) => {
  const { target, mutant } = mutantNamed(name);
  tryMutant(target, mutant, { explore: () => exploreOnce(target), budgetMs }).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
