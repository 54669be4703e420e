/** The stated limits of an exploration. */
import type { Bounds } from "./operation/context.ts";
import { defectKinds, streamEnds } from "./vocabulary.ts";

export const boundsByName = {
  /** One frame after the start frame: for a first look, and for unit tests. */
  small: {
    frames: 2,
    framesOfRetries: 1,
    attempts: 2,
    outsidersOnLine: 1,
    defectsAmidOutsiders: ["iterator_throws"],
    ends: streamEnds,
  },
  /** Two frames after the start frame, two attempts, every end. */
  default: {
    frames: 3,
    framesOfRetries: 2,
    attempts: 2,
    outsidersOnLine: 1,
    defectsAmidOutsiders: ["iterator_throws"],
    ends: streamEnds,
  },
  /** One frame and one attempt more, and every defect amid outsiders: for a long run. */
  deep: {
    frames: 4,
    framesOfRetries: 4,
    attempts: 3,
    outsidersOnLine: 1,
    defectsAmidOutsiders: defectKinds,
    ends: streamEnds,
  },
} as const satisfies Record<string, Bounds>;

export type BoundsName = keyof typeof boundsByName;
