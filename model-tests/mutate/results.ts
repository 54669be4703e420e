/** The results file of a campaign: it grows trial by trial, so that a campaign that was stopped can go on. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "../errors.ts";
import { catalogue } from "./catalogue/catalogue.ts";
import type { Mutant } from "./mutant.ts";
import type { TrialResult, Verdict } from "./verdict.ts";

/** One result, with what it is a result of. */
export interface StoredResult extends TrialResult {
  readonly name: string;
  /** Changes with the edit. */
  readonly edit: string;
}

const editOf = ({ file, find, replace, tests = [] }: Mutant): string =>
  createHash("sha256")
    .update(JSON.stringify([file, find, replace, tests]))
    .digest("hex")
    .slice(0, 12);

/** The results of mutants that are still what they were. */
export class Results {
  readonly #file: string;
  readonly #byName = new Map<string, StoredResult>();

  /** @throws {UsageError} when the file holds something else. */
  constructor(file: string) {
    this.#file = file;
    for (const result of readResults(file)) this.#byName.set(result.name, result);
  }

  /** The verdict of an earlier trial of the same edit. */
  verdictOf(mutant: Mutant): Verdict | undefined {
    const result = this.#byName.get(mutant.name);
    return result?.edit === editOf(mutant) ? result.verdict : undefined;
  }

  add(mutant: Mutant, result: TrialResult): void {
    this.#byName.set(mutant.name, { name: mutant.name, edit: editOf(mutant), ...result });
    mkdirSync(dirname(this.#file), { recursive: true });
    writeFileSync(this.#file, resultsText(this.all()));
  }

  /** In the order of the catalogue; what is not in it any more is left out. */
  all(): readonly StoredResult[] {
    return catalogue.flatMap(({ mutant }) => {
      const result = this.#byName.get(mutant.name);
      return result?.edit === editOf(mutant) ? [result] : [];
    });
  }
}

/** One line a result: a change of one shows as one line. */
const resultsText = (results: readonly StoredResult[]): string =>
  `[\n${results.map((result) => `  ${JSON.stringify(result)}`).join(",\n")}\n]\n`;

/** @throws {UsageError} when the file holds something else. */
export function readResults(file: string): readonly StoredResult[] {
  if (!existsSync(file)) return [];
  try {
    return JSON.parse(readFileSync(file, "utf8")) as StoredResult[];
  } catch (error) {
    throw new UsageError(`Cannot read the results "${file}": ${(error as Error).message}. Give another --out.`);
  }
}
