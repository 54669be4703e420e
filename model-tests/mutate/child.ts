/** A process that tries mutants one after the other, so that one that loops or eats memory ends with it and not with the campaign. */
import { boundsByName } from "../../machines/index.ts";
import { explore } from "../explore/graph.ts";
import { exploreIndependently } from "../explore/independent.ts";
import { verifyDefaults } from "../verify/options.ts";
import type { Explored } from "../verify/verify.ts";
import { mutantNamed } from "./catalogue/catalogue.ts";
import { tryMutant } from "./trial.ts";

let explored: Explored | undefined;

function exploreOnce(): Explored {
  const bounds = boundsByName[verifyDefaults.bounds];
  explored ??= { graph: explore(bounds), independent: exploreIndependently(bounds) };
  return explored;
}

process.on("message", (name: string) => {
  const { target, mutant } = mutantNamed(name);
  tryMutant(target, mutant, exploreOnce).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
