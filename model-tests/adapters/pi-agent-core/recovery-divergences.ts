/** Where pi-agent-core and the specification part in what a process makes of what an earlier one has left (section E). */
import type { KnownDivergence } from "../known-divergence.ts";
import { untilStreamEnds, untilStreams, untilToolsRun } from "./beginnings.ts";

/** A response whose last frame somebody has spoilt. */
const untilSpoilt = ["crash", "frames.damage", "reopen"];
const twoFrames = [...untilStreamEnds, "stream.update", "land", "reply", "listener.release"];

/** Reviewed: recoveries that fault, or say too little. */
export const recoveryDivergences: readonly KnownDivergence[] = [
  {
    id: "recovery-without-identity",
    requirement: "E4",
    summary: "the response that recovery makes of a request without a committed start names the API as unknown",
    why: "the API of the model is known when the request is planned, and a transcript with an unknown one cannot be replayed to the provider it came from",
    matches: [
      {
        action: "land",
        requirement: "E4",
        field: "entry.message.api",
        expected: "openai-completions",
        actual: "unknown",
      },
    ],
    schedule: ["accept", "land", "reply", "activate", "land", "crash", "reopen", "activate", "land"],
  },
  {
    id: "repeated-call-not-counted",
    requirement: "Q1",
    summary:
      "a call that was under way when its process died, and whose tool is declared safe to repeat, is made again without a mark of its own, at every boot",
    why: "nothing durable says how often it was made: a call that kills its process is made again at every boot, without end, and the operation never gets past it",
    matches: [
      {
        action: ["activate", "reply"],
        state: "tools.driven",
        requirement: "C7",
        field: "commits at the store",
        expected: "mark",
        actual: "none",
      },
    ],
    schedule: [...untilToolsRun, "crash", "reopen", "activate"],
  },
  {
    id: "damaged-list-faults",
    requirement: "B4",
    summary:
      "a frame list that the reducer refuses faults the whole harness when it is recovered or when a reader asks for a snapshot; where no frame before the damage is left, it is recovered as if nothing had been committed, without a word",
    why: "one spoilt frame costs every lane, and at every boot again: the frames before it are a good partial",
    matches: [
      {
        action: "snapshot",
        state: /^(suspended|deferred\.unknown)$/,
        requirement: "J1",
        field: "events",
        expected: "none",
        actual: "fault",
        schedule: [...twoFrames, ...untilSpoilt, "snapshot"],
      },
      {
        action: ["activate", "reply"],
        from: /^(suspended|cancelled|effect_pending)/,
        state: "recovering",
        requirement: "C7",
        field: "commits at the store",
        expected: "recover",
        actual: "none",
        schedule: [...twoFrames, ...untilSpoilt, "activate"],
      },
      {
        action: "land",
        requirement: "B4",
        field: "damage of a synthetic response",
        expected: "told",
        actual: /^Assistant request was interrupted/,
        schedule: [...untilStreams, "stream.start", "land", ...untilSpoilt, "activate", "land"],
      },
    ],
    schedule: [...twoFrames, ...untilSpoilt, "activate"],
  },
];
