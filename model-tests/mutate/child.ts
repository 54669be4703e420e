/** A process that tries mutants one after the other, so that one that loops or eats memory ends with it and not with the campaign. */
import { boundsByName } from "../../machines/index.ts";
import { explore } from "../explore/graph.ts";
import { exploreIndependently } from "../explore/independent.ts";
import { verifyDefaults } from "../verify/options.ts";
import type { Explored } from "../verify/verify.ts";
import { mutantNamed } from "./catalogue/catalogue.ts";
import { tryMutant } from "./trial.ts";

/** What the process is asked; it answers with a result. */
export interface TrialTask {
  readonly name: string;
  readonly budgetMs?: number;
}

let explored: Explored | undefined;

function exploreOnce(): Explored {
  const bounds = boundsByName[verifyDefaults.bounds];
  explored ??= { graph: explore(bounds), independent: exploreIndependently(bounds) };
  return explored;
}

process.on("message", ({ name, budgetMs }: TrialTask) => {
  const { target, mutant } = mutantNamed(name);
  tryMutant(target, mutant, { explore: exploreOnce, budgetMs }).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
