/** The reporter for programs. Fields may be added, never taken away. */
import type { Report } from "../verify/report.ts";
import type { Reporter } from "./reporter.ts";

export const json: Reporter = {
  ending: "json",
  verify: (report) => text(withPairs(report)),
  bench: text,
  crash: text,
};

function text(report: object): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** Pairs of transitions are not driven in this version. */
const noPairs = { covered: 0, total: 0, notOffered: 0 } as const;

const withPairs = (report: Report): object => ({ ...report, coverage: { ...report.coverage, pairs: noPairs } });
