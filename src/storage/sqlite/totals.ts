import type { Usage } from "@earendil-works/pi-ai";
import type { SessionStats } from "../storage.ts";
import { addUsage } from "../usage-totals.ts";

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

/** The frozen totals of a text that {@link statsToText} made. */
export function statsFromText(text: string): SessionStats {
  return JSON.parse(text, (_key, part) => (typeof part === "string" ? Number(part) : Object.freeze(part)));
}
