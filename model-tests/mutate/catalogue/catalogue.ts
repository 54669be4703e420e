/** All mutants, section by section. */
import { UsageError } from "../../errors.ts";
import type { Mutant, Section, Target } from "../mutant.ts";
import { settlement } from "./settlement.ts";

const sections: readonly Section[] = [settlement];

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
