/** What a process must have told its callers, with and without a fault (K2, C6, C7). */
import { expect } from "vitest";
import type { Write } from "../../storage/contract/writes.ts";
import type { Life } from "./life.ts";

/** Requires a process whose disk failed to have ended as K2 says, for this reason. */
export function expectFaulted(life: Life, path: string, reason: string | RegExp): void {
  const { fault } = life;
  expect(fault).toMatchObject({
    name: "HarnessFault",
    code: "harness_fault",
    message: `The harness faulted: ${fault?.cause.message}`,
    cause: { name: "StorageFailed", code: "storage_failed", path },
  });
  const { message: told, code } = Object(fault?.cause.cause) as { message: string; code?: string };
  const isFull = code === "ENOSPC" || code === "SQLITE_FULL";
  const remedy = isFull ? "the disk is full: make room, then open it again to go on" : "open it again to go on";
  expect(fault?.cause.message).toBe(`The storage of session ${path} failed (${told}); ${remedy}`);
  expect(told).toMatch(reason);
  expect(life.activation).toEqual({ kind: "faulted" });
  for (const call of life.calls) expect(["answered", "faulted"]).toContain(call.kind);
  expect(life.later).toEqual(Array(8).fill({ kind: "faulted" }));
  expect(life.faultEvents).toEqual({ listener: 1, watcher: 1 });
  expect(life.handedAfterFault).toBe(0);
  expect(life.signalPulled).toBe(true);
  expectNothingAhead(life);
}

/** Requires a process whose disk did not fail to have completed its operation. */
export function expectCompleted(life: Life): void {
  expect(life.fault).toBeUndefined();
  expect(life).toMatchObject({ activation: { kind: "answered" }, later: [], hookRuns: 1 });
  for (const call of life.calls) expect(call).toEqual({ kind: "answered" });
  expect(life.acknowledged).toBe(life.transactions.length);
}

/** Nobody was told of an entry that was not acknowledged (C7), and no hook ran ahead of a frame (C6). */
function expectNothingAhead({ transactions, acknowledged, entriesAdded, hookRuns }: Life): void {
  const replied = transactions.slice(0, acknowledged).flat();
  const entries = replied.flatMap((write) => (write.kind === "entry" ? [write.entry.id] : []));
  expect(entriesAdded).toEqual(entries);
  const unreplied = transactions.slice(acknowledged).flat();
  expect(hookRuns).toBe(allFrames(replied) && !unreplied.some(isFrame) ? 1 : 0);
}

const isFrame = (write: Write) => write.kind === "list" && write.op === "append";

/** Each of the answer's events made one frame. */
const allFrames = (writes: readonly Write[]) => writes.filter(isFrame).length === 12;
