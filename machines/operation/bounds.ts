/** The stated limits of an exploration. */

import { defectKinds, type StreamEnd, streamEnds } from "../vocabulary.ts";
import type { Bounds } from "./rules/context.ts";

const endsOfLongStreams: readonly StreamEnd[] = ["stop", "openCall", "aborted"];
/** A later attempt differs from the first in where its failures lead. */
const endsOfRetries: readonly StreamEnd[] = ["stop", "retryable", "aborted"];
/** Ready, pending, a foreign handle, an error, and the answer to a signal. */
const endsOfPolls: readonly StreamEnd[] = ["stop", "deferred", "mismatched", "retryable", "aborted"];

/** The bounds that a command can name. */
export const boundsByName = {
  /** One frame after the start frame: for a first look, and for unit tests. */
  small: {
    frames: 2,
    framesAlone: 0,
    framesOfRetries: 1,
    framesOfPolls: 1,
    attempts: 2,
    polls: 1,
    pollsWithOutsiders: 1,
    outsidersOnLine: 1,
    defectsCost: "response",
    defectsAmidOutsiders: ["iterator_throws"],
    defectsOfPolls: ["iterator_throws"],
    ends: streamEnds,
    endsOfLongStreams,
    endsOfRetries,
    endsOfPolls,
  },
  /** Two frames after the start frame, and five more when nothing comes amid; two attempts, every end. */
  default: {
    frames: 3,
    framesAlone: 5,
    framesOfRetries: 1,
    framesOfPolls: 1,
    attempts: 2,
    polls: 2,
    pollsWithOutsiders: 1,
    outsidersOnLine: 1,
    defectsCost: "response",
    defectsAmidOutsiders: ["iterator_throws"],
    defectsOfPolls: ["iterator_throws"],
    ends: streamEnds,
    endsOfLongStreams,
    endsOfRetries,
    endsOfPolls,
  },
  /** One frame and one attempt more, and every defect amid outsiders: for a long run. */
  deep: {
    frames: 4,
    framesAlone: 5,
    framesOfRetries: 4,
    framesOfPolls: 3,
    attempts: 3,
    polls: 3,
    pollsWithOutsiders: 3,
    outsidersOnLine: 1,
    defectsCost: "response",
    defectsAmidOutsiders: defectKinds,
    defectsOfPolls: defectKinds,
    ends: streamEnds,
    endsOfLongStreams: streamEnds,
    endsOfRetries: streamEnds,
    endsOfPolls: streamEnds,
  },
} as const satisfies Record<string, Bounds>;

/** Stated bounds, for a harness that says what a protocol defect costs. Default: its response (Q6). */
export const boundsFor = (name: BoundsName, defectsCost: Bounds["defectsCost"] = "response"): Bounds => ({
  ...boundsByName[name],
  defectsCost,
});

/** The name of stated bounds. */
export type BoundsName = keyof typeof boundsByName;
