/** Takes a report to where the reporters that were asked for put it: a folder, or the terminal. */
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import type { Printable, ReportingCommand } from "../report/reporter.ts";
import { printed, type ReporterName, reporters } from "../report/reporters.ts";
import type { Io } from "./io.ts";
import { writeText } from "./output.ts";

/** What `--out` asks for: a folder, and the name of the report in it, without its ending. */
export interface Filing {
  readonly folder: string;
  readonly name: string;
}

/** Those that print to the terminal: the others have a file when there is a folder. */
const shownBy = (names: readonly ReporterName[], folder: string | undefined): ReporterName[] =>
  names.filter((name) => folder === undefined || reporters[name].ending === undefined);

/** @throws {UsageError} when two reporters would print to one terminal. To be asked before the work. */
export function assertOneTerminal(names: readonly ReporterName[], folder: string | undefined): void {
  const shown = shownBy(names, folder);
  if (shown.length < 2) return;
  const remedy = folder === undefined ? "needs --out DIR" : "is one too many";
  throw new UsageError(`--reporter ${shown.join(",")} ${remedy}: only one can have the terminal.`);
}

/** A folder always gets the report as JSON too. */
export function publish<C extends ReportingCommand>(
  command: C,
  { report, layout }: Pick<Printable[C], "report" | "layout">,
  names: readonly ReporterName[],
  io: Io,
  filing?: Filing,
): void {
  if (filing !== undefined) {
    for (const name of new Set<ReporterName>(["json", ...names])) {
      const { ending } = reporters[name];
      if (ending === undefined) continue;
      writeText(join(filing.folder, `${filing.name}.${ending}`), printed(name, command, report, layout));
    }
  }
  for (const name of shownBy(names, filing?.folder)) io.stdout(printed(name, command, report, layout));
}
