/** The reporter for programs. Fields may be added, never taken away. */
import type { Reporter } from "./reporter.ts";

export const json: Reporter = {
  ending: "json",
  verify: text,
  bench: text,
  crash: text,
};

function text(report: object): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}
