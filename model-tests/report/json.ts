/** The report for programs. Fields may be added, never taken away. */
import type { Report } from "../verify/report.ts";

/** Pairs of transitions are not driven in this version. */
const noPairs = { covered: 0, total: 0, notOffered: 0 } as const;

export const jsonReport = (report: Report): string =>
  `${JSON.stringify({ ...report, coverage: { ...report.coverage, pairs: noPairs } }, null, 2)}\n`;
