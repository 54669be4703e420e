/** The totals and the next number that the session row holds (A3, A10). */
import type { Usage } from "@earendil-works/pi-ai";
import { isSequenceNumber } from "../contract/sequence.ts";
import type { SessionStats } from "../contract/storage.ts";
import { addUsage, zeroUsage } from "../contract/usage-totals.ts";
import { decoded } from "./damaged-row.ts";
import type { SessionRow } from "./statements.ts";
import { fromText } from "./text.ts";

/** What the session row holds. */
export interface Totals {
  readonly nextSeq: number;
  readonly stats: SessionStats;
}

export function withMessage(stats: SessionStats): SessionStats {
  return Object.freeze({ ...stats, messageCount: stats.messageCount + 1 });
}

export function withUsage(stats: SessionStats, usage: Usage): SessionStats {
  return Object.freeze({ ...stats, usage: Object.freeze(addUsage(stats.usage, usage)) });
}

/** The text of the totals, in which a sum that grew beyond all numbers is a string. */
export function statsToText(stats: SessionStats): string {
  return JSON.stringify(stats, (_key, part) =>
    Number.isFinite(part) || typeof part === "object" ? part : String(part),
  );
}

/**
 * What the session row says, held against the newest number that an entry or a usage row has.
 *
 * @throws {DamagedRow}
 */
export function decodeTotals({ next_seq: nextSeq, stats: text, newest }: SessionRow): Totals {
  return decoded("session", undefined, () => {
    if (!isSequenceNumber(nextSeq) || nextSeq <= newest) throw new TypeError("its next number is not the next one");
    // Judged as every stored text is, before what walks through it without a limit.
    fromText(text);
    const stats = JSON.parse(text, (_key, part) => (typeof part === "string" ? Number(part) : Object.freeze(part)));
    assertStats(stats);
    return { nextSeq, stats };
  });
}

function assertStats(stats: unknown): asserts stats is SessionStats {
  const { messageCount, usage } = Object(stats) as Partial<SessionStats>;
  const { cost, ...tokens } = zeroUsage();
  const areNumbers = (parts: object, holder: unknown) =>
    Object.keys(parts).every((part) => typeof (Object(holder) as Record<string, unknown>)[part] === "number");
  if (!areNumbers({ messageCount }, stats) || !areNumbers(tokens, usage) || !areNumbers(cost, usage?.cost)) {
    throw new TypeError("its totals are no numbers");
  }
}
