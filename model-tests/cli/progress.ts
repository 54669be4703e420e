/** One calm status line on a terminal, rewritten in place; nothing at all anywhere else. */
import type { Progress } from "../verify/options.ts";
import type { Io } from "./io.ts";

export interface ProgressLine {
  show(progress: Progress): void;
  clear(): void;
}

const phases: Readonly<Record<Progress["phase"], string>> = {
  exploring: "exploring the specification",
  coverage: "driving the coverage tours",
  races: "driving the race table",
  determinism: "running a sample twice",
  shrinking: "shortening counterexamples",
};
const longestPhase = Math.max(...Object.values(phases).map(({ length }) => length));
const barWidth = 24;
const redrawMs = 80;
const eraseLine = "\r\u001b[2K";

export function progressLine(io: Io): ProgressLine {
  if (!io.showsProgress) return { show: () => {}, clear: () => {} };
  let shownMs = Number.NEGATIVE_INFINITY;
  let phase: Progress["phase"] | undefined;
  return {
    show: (progress) => {
      const nowMs = performance.now();
      if (progress.phase === phase && nowMs - shownMs < redrawMs) return;
      shownMs = nowMs;
      phase = progress.phase;
      io.stderr(`${eraseLine}${statusLine(progress)}`);
    },
    clear: () => io.stderr(eraseLine),
  };
}

function statusLine({ phase, done, total }: Progress): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.round(share * barWidth);
  const bar = "━".repeat(full) + "─".repeat(barWidth - full);
  return `${phases[phase].padEnd(longestPhase)}  ${bar}  ${String(Math.floor(share * 100)).padStart(3)} %`;
}
