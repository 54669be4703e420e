/** `verify --watch`: a fresh process for every run, so that each sees the sources as they are. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, type FSWatcher, watch } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { sourceFolders } from "../package-root.ts";
import type { Io } from "./io.ts";

/** An editor saves in several events; together they are one change. */
const settleMs = 150;

/** What the program itself writes, reports above all, must not start the next run. */
const isSource = (name: string | null): boolean => name !== null && /\.[cm]?[jt]sx?$/.test(name);

export interface Watched {
  readonly folder: string;
  readonly recursive: boolean;
}

/** Call `onChange` once after each burst of changes to source files. Returns what ends the watch. */
export function watchSources(watched: readonly Watched[], onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers = watched.map(
    ({ folder, recursive }): FSWatcher =>
      watch(folder, { recursive }, (_event, name) => {
        if (!isSource(name)) return;
        clearTimeout(timer);
        timer = setTimeout(onChange, settleMs);
      }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** What a run depends on: the sources, and the folder of the adapter. */
export function watchedBy(sut: string): Watched[] {
  const adapter = resolve(sut);
  const watched = sourceFolders().map((folder) => ({ folder, recursive: true }));
  if (existsSync(adapter)) watched.push({ folder: dirname(adapter), recursive: false });
  if (watched.length > 0) return watched;
  throw new UsageError("--watch has nothing to watch here. Use it in a clone, or with --sut PATH.");
}

/** Runs until the program is interrupted. */
export function watchAndVerify(sut: string, io: Io): Promise<never> {
  const args = process.argv.slice(1).filter((arg) => arg !== "--watch");
  let child: ChildProcess | undefined;
  const start = (): void => {
    child?.removeAllListeners("exit").kill();
    child = spawn(process.execPath, [...process.execArgv, ...args], { stdio: "inherit" });
    child.on("exit", () => io.stderr("Waiting for a change; end with Ctrl+C.\n"));
  };
  watchSources(watchedBy(sut), start);
  start();
  return new Promise<never>(() => {});
}
