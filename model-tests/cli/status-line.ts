/** One calm status line on a terminal, rewritten in place; anywhere else a line now and then, so that a long run is not silent. */
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
  if (!io.showsProgress) return nowAndThen(io, now);
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

/** How often a run without a terminal says how far it has come. */
const lineMs = 60_000;

function nowAndThen(io: Io, now: () => number): StatusLine {
  let shownMs = now();
  return {
    show: (what, share) => {
      if (now() - shownMs < lineMs) return;
      shownMs = now();
      io.stderr(share === undefined ? `${what}\n` : `${what}: ${percent(share.done, share.total)}\n`);
    },
    clear: () => {},
  };
}

/** Nothing to do is all done. */
const drawn = ({ done, total }: Share): string =>
  `${bar(done, total, barWidth)}  ${percent(done, total).padStart("100 %".length)}`;
