/** A folder for files that must not outlive this process, however it ends. */
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";

export interface SelfRemovingFolder {
  readonly path: string;
  /** Idempotent. */
  remove(): void;
}

/** What ends a process without an `exit` event, unless somebody listens. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Makes the folder. It is removed by `remove`, at the exit of the process, and when a signal ends it; only SIGKILL leaves
 * it behind, in the system's folder for temporary files.
 */
export function selfRemovingFolder(): SelfRemovingFolder {
  const path = mkdtempSync(join(tmpdir(), "durability-store-"));
  const clear = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  const onSignal = (signal: NodeJS.Signals) => {
    remove();
    // Whoever else listens decides what the signal means; with nobody left it ends the process, as it would have.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, constants.signals[signal]);
  };
  const remove = () => {
    process.off("exit", clear);
    for (const signal of signals) process.off(signal, onSignal);
    clear();
  };
  process.on("exit", clear);
  for (const signal of signals) process.on(signal, onSignal);
  return { path, remove };
}
