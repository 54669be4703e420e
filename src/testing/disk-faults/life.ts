/** What a process told its callers until it ended, as plain data. */
import type { Write } from "../../storage/contract/writes.ts";

/** What became of a promise that a caller held. */
export type Told =
  | { readonly kind: "answered" }
  /** Rejected with the very fault of the harness. */
  | { readonly kind: "faulted" }
  | ({ readonly kind: "refused" } & ToldError);

export interface ToldError {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** Why a harness stopped, as its callers see it. */
export interface ToldFault extends ToldError {
  /** The error of the store, and below it that of the system. */
  readonly cause: ToldError & { readonly path: string; readonly cause: ToldError };
}

/** What a process did with a session until it ended, as plain data: it may have been another process. */
export interface Life {
  readonly operationId: string;
  /** Handed to the store, in order. */
  readonly transactions: readonly Write[][];
  /** How many of them were replied. */
  readonly acknowledged: number;
  readonly activation: Told;
  /** The calls that were made at the end of each burst, while its frames were on their way. */
  readonly calls: readonly Told[];
  /** The calls that were made after a fault. */
  readonly later: readonly Told[];
  readonly fault: ToldFault | undefined;
  /** How often the fault was told. */
  readonly faultEvents: { readonly listener: number; readonly watcher: number };
  /** Transactions that were handed over after the fault was told. */
  readonly handedAfterFault: number;
  readonly signalPulled: boolean;
  /** How often `after_response` ran. */
  readonly hookRuns: number;
  /** The ids of the entries that listeners were told of. */
  readonly entriesAdded: readonly string[];
}

/** An error as far as it can be written down. */
export function toldError(error: unknown): ToldError {
  const { name, code = "", message } = error as Error & { code?: string };
  return { name, code, message };
}
