/** `durability trace`: which checks serve which requirement. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { Command } from "commander";
import { type SourceFile, traceRows, traceText } from "../report/trace.ts";
import type { CommandContext } from "./command.ts";
import { packageRoot, sourceFolders } from "./package-root.ts";

export function traceCommand({ io }: CommandContext): Command {
  return new Command("trace")
    .description("For every requirement of the specification what checks it, and which ones nothing checks.")
    .option("--json", "as JSON, for a program")
    .action(({ json }: { readonly json?: true }) => {
      const sources = readSources();
      const rows = traceRows(sources);
      const withSources = sources.length > 0;
      io.stdout(
        json
          ? `${JSON.stringify({ withSources, requirements: rows }, null, 2)}\n`
          : traceText(rows, { colour: io.colour, width: io.width, withSources }),
      );
    });
}

/** Test files, and the modules that compare an observation with the specification. */
const isWanted = (path: string): boolean =>
  /\.test(-d)?\.ts$/.test(path) || /^model-tests\/(drive|world)\/.*\.ts$/.test(path);

function readSources(): SourceFile[] {
  const root = packageRoot();
  return sourceFolders()
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/")),
    )
    .filter(isWanted)
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}
