/** An SQLite session under real faults of the disk (K2). */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { SqliteStorageOptions } from "../../storage/sqlite/sqlite.ts";
import { foldersOfTests } from "../maintenance/new-sessions.ts";
import { openWithHandle } from "../sqlite/sessions.ts";
import { expectCompleted, expectFaulted } from "./fault-check.ts";
import { checkWhatIsLeft, type HandedOver, landedOf } from "./recovery.ts";
import { copyDead, padding, type ToldLife } from "./sqlite-disk.ts";
import { committedAt, Streaming } from "./streaming.ts";

/*
 * SQLite does its own input and output, in native code, and better-sqlite3 lets nobody put a file system under it. So
 * these faults are real ones, that need no rights and happen at the same place each time:
 *
 * - `PRAGMA max_page_count`: SQLite itself says that the disk is full, before it writes, at any page that a file grows by;
 * - a limit on the size of files (`ulimit -f`): a write to the log or to the file is refused, or a part of it is taken;
 * - the descriptor of the log made to mean `/dev/full`, which refuses a write with ENOSPC, or `/dev/null`, which takes it
 *   and refuses to be synced.
 *
 * The last two need a process of their own. Not there: a sync that fails of a write that reached the file after all, which
 * to the next process is one that was not replied, and a sync of the file itself, in a checkpoint.
 */

const { newFolder } = foldersOfTests();
const options: SqliteStorageOptions = { durability: "process", now: () => committedAt };

/** Opens a session that was left behind. What is done to it now need not survive. */
const reopen = (path: string) => async () => {
  const { storage, handle } = await openWithHandle(path, options);
  handle.pragma("synchronous = OFF");
  return storage;
};

/** What its death and its close leave of a session is the same, and as it must be. */
async function checkBoth(dead: string, path: string, handedOver: HandedOver): Promise<void> {
  const closed = await landedOf(reopen(path), handedOver);
  expect(await checkWhatIsLeft(reopen(dead), handedOver)).toBe(closed);
}

test("[A13][K2] a harness over an SQLite file that may grow by any number of pages faults at the next, and recovers", async () => {
  let failed = true;
  let runs = 0;
  for (; failed; runs++) {
    const path = join(realpathSync(newFolder()), "session");
    const { storage, handle } = await openWithHandle(path, options);
    const streaming = new Streaming(storage);
    const pages = () => Number(handle.pragma("page_count", { simple: true }));
    const life = await streaming.run({ armed: () => void handle.pragma(`max_page_count = ${pages() + runs}`) });
    const dead = copyDead(path);
    expect(await streaming.close()).toEqual({ kind: "answered" });
    await checkBoth(dead, path, life);
    failed = life.fault !== undefined;
    if (failed) expectFaulted(life, path, /^database or disk is full$/);
    else expectCompleted(life);
  }

  expect(runs).toBeGreaterThan(12);
});

const script = fileURLToPath(new URL("./sqlite-child.ts", import.meta.url));

/** What a process tells that may make no file greater than so many blocks of 512 bytes, and is refused instead. */
async function* toldUnderLimit(blocks: number, modes: readonly string[]): AsyncGenerator<ToldLife> {
  const limited = ["-c", `trap "" XFSZ; ulimit -f ${blocks}; exec "$@"`, "sh"];
  const node = [process.execPath, "--import", "tsx", script, realpathSync(newFolder()), ...modes];
  const child = spawn("sh", [...limited, ...node], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  try {
    for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line) as ToldLife;
    expect(await exited).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
    await exited;
  }
}

/** What SQLite says of each fault. */
const said = {
  limit: { code: "SQLITE_IOERR_WRITE", message: "disk I/O error" },
  checkpoint: undefined,
  ENOSPC: { code: "SQLITE_FULL", message: "database or disk is full" },
  sync: { code: "EINVAL", message: "EINVAL: invalid argument, fdatasync" },
} as const;

/** Requires one process to have ended as it must, and its session to be recovered. Whether its disk failed. */
async function checkTold({ fault, path, dead, paddings, life }: ToldLife): Promise<boolean> {
  const transactions = [...paddings.map(padding), ...life.transactions];
  await checkBoth(dead, path, { ...life, transactions, acknowledged: life.acknowledged + paddings.length });
  if (life.fault === undefined) {
    expectCompleted(life);
    return false;
  }
  expectFaulted(life, path, said[fault]?.message ?? "nothing");
  expect(life.fault.cause.cause).toMatchObject(said[fault] ?? {});
  return true;
}

/** The sessions of one kind that were told of. */
interface Counts {
  faulted: number;
  completed: number;
}

/** Checks all that is told under a limit. */
async function checkAll(blocks: number, modes: readonly string[]): Promise<Record<string, Counts>> {
  const counts: Record<string, Counts> = {};
  for await (const told of toldUnderLimit(blocks, modes)) {
    const count = counts[told.fault] ?? { faulted: 0, completed: 0 };
    count[(await checkTold(told)) ? "faulted" : "completed"]++;
    counts[told.fault] = count;
  }
  return counts;
}

describe("a harness over an SQLite file recovers from all that was acknowledged", () => {
  test("[A13][K2] when any page of the log is refused whole, and when a checkpoint ends within any page", async () => {
    const { limit, checkpoint } = await checkAll(676, ["logs", "checkpoints"]);

    expect(limit?.faulted).toBeGreaterThan(30);
    expect(limit?.completed).toBeGreaterThan(0);
    expect(checkpoint).toEqual({ faulted: 0, completed: expect.any(Number) });
    expect(checkpoint?.completed).toBeGreaterThan(8);
  });

  test("[A13][K2] when a part of any page of the log is taken, and when any commit finds no room or is not synced", async () => {
    const { limit, ENOSPC, sync } = await checkAll(680, ["logs", "redirected"]);

    expect(limit?.faulted).toBeGreaterThan(30);
    expect(ENOSPC).toEqual({ faulted: 6, completed: 1 });
    expect(sync).toEqual({ faulted: 6, completed: 1 });
  });
});
