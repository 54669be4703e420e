/** What the commands of the program have in common. */
import type { Io } from "./io.ts";

export const exitCodes = {
  held: 0,
  /** The subject and the specification part, or nothing was checked. */
  failed: 1,
  /** Wrong usage or unreadable input. */
  usage: 2,
  /** A mistake of this program. */
  internal: 3,
} as const;

/** What a command of the program is built from. */
export interface CommandContext {
  readonly io: Io;
  /** Sets the exit code of the run; it is `held` unless a command says otherwise. */
  readonly exit: (code: number) => void;
}
