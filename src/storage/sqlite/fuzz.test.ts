/** Databases with random damage (A9, A13). */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { list, value } from "../../addresses/address.ts";
import { DurabilityError } from "../../errors.ts";
import { count, note, usage, words } from "../../testing/jsonl/sessions.ts";
import { wholeContentOf } from "../../testing/maintenance/whole-content.ts";
import { damage, type SessionFiles } from "../../testing/sqlite/damage.ts";
import { hostileChange } from "../../testing/sqlite/hostile.ts";
import { inDatabase, openWithHandle, sessionFolder } from "../../testing/sqlite/sessions.ts";
import { appendList, deleteList, setValue, type Write } from "../contract/writes.ts";
import type { SqliteStorage } from "./sqlite.ts";

const other = list<string>("test.other");

/** Something of everything: long texts, and pages that hold nothing any more. */
function transaction(index: number): Write[] {
  return [
    note(`n${index}`, index === 0 ? null : `n${index - 1}`),
    usage(`u${index}`),
    setValue(value("test.count", `k${index}`), { index }),
    appendList(words, `word ${index}`),
    index === 6 ? deleteList(other) : appendList(other, "x".repeat(index * 1_000)),
  ];
}

describe("a damaged SQLite session is opened and read, or refused with a typed error and left as it is:", () => {
  let session: ReturnType<typeof sessionFolder>;
  /** As the death of its process leaves it, with transactions in its log alone, and as its close does. */
  let dead: SessionFiles;
  let closed: SessionFiles;
  let seen: { opened: number; refused: number };

  const found = (): SessionFiles => ({
    file: readFileSync(session.path),
    log: readdirSync(session.folder).includes("session-wal") ? readFileSync(`${session.path}-wal`) : Buffer.of(),
  });

  beforeAll(async () => {
    session = sessionFolder();
    const { storage, handle } = await openWithHandle(session.path, { durability: "process" });
    for (let index = 0; index < 8; index++) {
      await storage.commit(transaction(index));
      if (index === 5) handle.pragma("wal_checkpoint(PASSIVE)");
    }
    dead = found();
    await storage.close();
    closed = found();
  });

  afterAll(() => session.remove());

  /** A few hundred cases, of which many are opened and many are not. */
  async function checkAll<T>(cases: fc.Arbitrary<T>, filesOf: (one: T) => SessionFiles): Promise<void> {
    seen = { opened: 0, refused: 0 };
    const property = fc.asyncProperty(cases, (one) => check(filesOf(one)));
    await fc.assert(property, { seed: 1, numRuns: 250 });
    expect(seen.opened).toBeGreaterThan(30);
    expect(seen.refused).toBeGreaterThan(30);
  }

  async function check(files: SessionFiles): Promise<void> {
    place(files);
    try {
      const { storage, handle } = await openWithHandle(session.path, { durability: "process" });
      seen.opened++;
      handle.pragma("synchronous = OFF");
      await callAll(storage);
      await storage.close();
    } catch (error) {
      requireTyped(error);
      seen.refused++;
      const left = found();
      expect([left.file.equals(files.file), left.log.equals(files.log)]).toEqual([true, true]);
      expect(readdirSync(session.folder).filter((name) => !/^session(-wal)?$/.test(name))).toEqual([]);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  }

  function place({ file, log }: SessionFiles): void {
    for (const name of readdirSync(session.folder)) rmSync(join(session.folder, name));
    writeFileSync(session.path, file);
    if (log.length > 0) writeFileSync(`${session.path}-wal`, log);
  }

  test("bytes of the file and of the log", async () => {
    await checkAll(fc.tuple(fc.boolean(), damage), ([isClosed, mutate]) => mutate(isClosed ? closed : dead));
  });

  test("texts, numbers and types, in the log or in the file", async () => {
    const changes = fc.array(hostileChange, { minLength: 1, maxLength: 3 });
    await checkAll(fc.tuple(changes, fc.boolean()), ([chosen, isClosed]) => {
      place(closed);
      return inDatabase(session.path, (database) => {
        database.pragma("synchronous = OFF");
        for (const change of chosen) change(database);
        if (isClosed) database.pragma("wal_checkpoint(TRUNCATE)");
        return found();
      });
    });
  });
});

/** Calls everything that a store has. What it refuses, it refuses with a typed error. */
async function callAll(storage: SqliteStorage): Promise<void> {
  const calls: (() => Promise<unknown>)[] = [
    () => storage.getStats(),
    () => storage.scanEntries({}),
    () => storage.scanEntries({ order: "desc", type: "custom", customType: "note", limit: 3 }),
    () => storage.scanUsage({ order: "desc" }),
    () => storage.scanValues(value("test.count", "k")),
    () => storage.getValue(value("test.count", "k1")),
    () => storage.readList(words, { limit: 10_000 }),
    () => storage.readList(other, { order: "desc", limit: 2 }),
    () => storage.getEntries(["n0", "n3", "n7", "none"]),
    () => storage.scanBranch({ start: "n7" }),
    () => storage.scanBranchStructure({ start: "n3", order: "oldestFirst" }),
    () => wholeContentOf(storage),
    () => storage.commit([note("new", "n7"), usage("unew"), setValue(count, 1), deleteList(other)]),
    () => storage.commit([appendList(words, "new"), appendList(other, "x".repeat(9_000))]),
    () => storage.scanUsage({}),
  ];
  for (const call of calls) await call().catch(requireTyped);
}

function requireTyped(error: unknown): void {
  if (!(error instanceof DurabilityError)) throw error;
}
