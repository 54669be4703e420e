/** The table of reporters, by their names on the command line. Another one is a file with a {@link Reporter}, and a line here. */
import { json } from "./json.ts";
import { pretty } from "./pretty.ts";
import type { Printable, Prints, Reporter, ReportingCommand } from "./reporter.ts";

const table = { pretty, json } as const satisfies Readonly<Record<string, Reporter>>;

export type ReporterName = keyof typeof table;

export const reporters: Readonly<Record<ReporterName, Reporter>> = table;

/** Names that a later version is to have. */
export const plannedReporters = ["junit", "html", "github"] as const;

/** The reporters that a command offers. */
export const reportersOf = (command: ReportingCommand): ReporterName[] =>
  (Object.keys(table) as ReporterName[]).filter((name) => reporters[name][command] !== undefined);

/** What a reporter makes of a command's report. The command must offer it. */
export function printed<C extends ReportingCommand>(
  name: ReporterName,
  command: C,
  report: Printable[C]["report"],
  layout: Printable[C]["layout"],
): string {
  const prints: Prints = reporters[name];
  const print = prints[command];
  if (print === undefined) throw new Error(`The command ${command} does not offer the reporter ${name}`);
  return print(report, layout);
}
