/**
 * What the process that is killed and its parent say to each other: one job in, then one line for each transaction that
 * is handed to the store, and one for each that the store has acknowledged.
 */
import type { Durability, FileStoreName, Write } from "../../src/index.ts";

export interface ChildJob {
  readonly path: string;
  readonly store: FileStoreName;
  readonly durability: Durability;
  /** A module whose `openStore` opens the store instead, to see what the campaign makes of a broken one. */
  readonly storeModule?: string;
  readonly seed: number;
  /** Whether one delta is so long that its write takes a while. */
  readonly huge: boolean;
  /** Which child this is, counted from 1 over the whole campaign: no two share ids or times. */
  readonly child: number;
}

export type Told =
  /** Told before the store hears of the transaction. */
  | { readonly offered: readonly Write[] }
  /** Told when the store has replied: the number of the transaction, counted from 0, and what its writes were given. */
  | { readonly acknowledged: number; readonly seqs: readonly number[] };

export const toLine = (said: ChildJob | Told): string => `${JSON.stringify(said)}\n`;

export const jobOf = (line: string): ChildJob => JSON.parse(line) as ChildJob;

export const toldIn = (line: string): Told => JSON.parse(line) as Told;

/** Splits what arrives into lines; what has no line feed yet waits, and a process that dies leaves it unsaid. */
export class Lines {
  #begun: string[] = [];

  push(text: string): string[] {
    const [first = "", ...more] = text.split("\n");
    this.#begun.push(first);
    const last = more.pop();
    if (last === undefined) return [];
    const lines = [this.#begun.join(""), ...more];
    this.#begun = [last];
    return lines;
  }
}

/** Times of children lie this far apart, in milliseconds: retries never lead from one to the next. */
const timeOfOneChild = 1_000_000_000;

export const startOf = (child: number): number => child * timeOfOneChild;
/** After the death of the child, before any time of the next. */
export const afterDeathOf = (child: number): number => startOf(child) + timeOfOneChild / 2;
