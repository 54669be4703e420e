/** One calm status line on a terminal, rewritten in place; nothing at all anywhere else. */
import { bar, percent } from "../draw/layout.ts";
import type { Io } from "./io.ts";

/** How much of a task is done. */
interface Share {
  readonly done: number;
  readonly total: number;
}

export interface StatusLine {
  /** What is being done, and how much of it is done where that is known. */
  show(what: string, share?: Share): void;
  clear(): void;
}

const barWidth = 24;
/** A share is drawn anew no more often than this; a change of what is done is shown at once. */
const redrawMs = 80;
const eraseLine = "\r\u001b[2K";

/** @param now milliseconds that only grow. */
export function statusLine(io: Io, now: () => number = () => performance.now()): StatusLine {
  if (!io.showsProgress) return { show: () => {}, clear: () => {} };
  let shown: string | undefined;
  let shownMs = 0;
  /** The bar stands behind the longest words so far: it must not jump back and forth. */
  let wordsWidth = 0;
  return {
    show: (what, share) => {
      const nowMs = now();
      if (what === shown && nowMs - shownMs < redrawMs) return;
      shown = what;
      shownMs = nowMs;
      wordsWidth = Math.max(wordsWidth, what.length);
      io.stderr(eraseLine + (share === undefined ? what : `${what.padEnd(wordsWidth)}  ${drawn(share)}`));
    },
    clear: () => io.stderr(eraseLine),
  };
}

/** Nothing to do is all done. */
const drawn = ({ done, total }: Share): string =>
  `${bar(done, total, barWidth)}  ${percent(done, total).padStart("100 %".length)}`;
