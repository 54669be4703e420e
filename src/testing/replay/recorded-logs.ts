/**
 * The recorded session logs that the tests read where they are: in `../shared/data/dsh` beside the project, or in the
 * folder that `RECORDED_STREAMS` names. Nothing is skipped when they are absent.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** One recorded log. */
export interface RecordedLog {
  readonly name: string;
  readonly text: string;
}

/** @throws {Error} that says where the logs were looked for, when there are none. */
export function recordedLogs(): RecordedLog[] {
  const folder = findFolder();
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  if (names.length === 0) throw new Error(`There is no recorded session log (*.jsonl) in ${folder}`);
  return names.map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}

function findFolder(): string {
  const named = process.env.RECORDED_STREAMS;
  const root = fileURLToPath(new URL("../../../", import.meta.url));
  const candidates =
    named === undefined ? ["../shared/data/dsh", "../../shared/data/dsh"].map((path) => resolve(root, path)) : [named];
  const found = candidates.find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new Error(
    `The recorded session logs are absent: there is no ${candidates.join(" and no ")}. Put them there, or name their folder in RECORDED_STREAMS`,
  );
}
