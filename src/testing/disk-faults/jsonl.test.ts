/** A JSONL session on a disk that fails at each of its operations in turn (K2). */
import { copyFileSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Durability } from "../../storage/contract/storage.ts";
import { JsonlStorage } from "../../storage/jsonl/jsonl.ts";
import { UnreliableDisk } from "../jsonl/unreliable-disk.ts";
import type { Choose } from "../jsonl/unreliable-file.ts";
import { foldersOfTests } from "../maintenance/new-sessions.ts";
import { type DiskFault, FailingFiles, FaultCounter, interceptWith } from "./failing-files.ts";
import { expectCompleted, expectFaulted } from "./fault-check.ts";
import { toldError } from "./life.ts";
import { checkWhatIsLeft } from "./recovery.ts";
import { committedAt, Streaming } from "./streaming.ts";

const { newFolder } = foldersOfTests();
const now = () => committedAt;

const fullForGood: DiskFault = {
  name: "is full for good",
  write: "ENOSPC",
  landed: () => 0,
  effective: false,
  lasting: true,
};
const takesHalf: DiskFault = {
  name: "takes half",
  write: "short",
  landed: (bytes) => bytes >> 1,
  effective: false,
  lasting: false,
};
const takesAllButAByte: DiskFault = {
  name: "takes all but a byte",
  write: "short",
  landed: (bytes) => bytes - 1,
  effective: true,
  lasting: false,
};
const takesAllAndFails: DiskFault = {
  name: "takes all and fails",
  write: "EIO",
  landed: (bytes) => bytes,
  effective: true,
  lasting: true,
};
const faults = [fullForGood, takesHalf, takesAllButAByte, takesAllAndFails];

/** What is said of each: by the system, or by the store that counts what was taken. */
const reasons = [
  "ENOSPC: no space left on device, write",
  "EIO: i/o error, \\w+",
  "(ENOSPC|EIO): simulated",
  "only \\d+ of \\d+ bytes were written",
].map((reason) => `^${reason}$`);
const reason = new RegExp(reasons.join("|"));
const operations = ["append", "sync", "create", "rename", "syncFolder", "close"];

/** Streams the answer onto a disk that fails at its `at`-th operation from the first frame on, compacting meanwhile. */
async function live(storage: JsonlStorage, counter: FaultCounter, at: number) {
  const streaming = new Streaming(storage);
  let compaction: Promise<unknown> = Promise.resolve();
  const life = await streaming.run({
    armed: () => counter.arm(at),
    beforeBurst: (index) => {
      if (index === 1) compaction = storage.compact().catch(toldError);
    },
  });
  counter.disarm();
  return { life, compaction: await compaction, close: () => streaming.close() };
}

/** One process over a file, and the file as the process and as its death leaves it. */
async function liveInFile(durability: Durability, fault: DiskFault, at: number) {
  const counter = new FaultCounter(fault);
  const folder = realpathSync(newFolder());
  const path = join(folder, "session");
  const storage = await JsonlStorage.open(path, { files: new FailingFiles(counter), durability, now });
  const { life, compaction, close } = await live(storage, counter, at);
  const dead = join(folder, "dead");
  for (const suffix of suffixesOf(path)) copyFileSync(path + suffix, dead + suffix);
  const closed = await close();
  return { life, path, dead, failedAt: counter.failedAt, compaction, closed };
}

/** What stands behind the name of the session in the names of its files: nothing, and what a compaction adds. */
function suffixesOf(path: string): string[] {
  const name = basename(path);
  return readdirSync(dirname(path)).flatMap((found) => (found.startsWith(name) ? [found.slice(name.length)] : []));
}

/** Whether two sessions consist of the same files. */
function areSame(a: string, b: string): boolean {
  if (String(suffixesOf(a)) !== String(suffixesOf(b))) return false;
  return suffixesOf(a).every((suffix) => readFileSync(a + suffix).equals(readFileSync(b + suffix)));
}

const reopen = (path: string) => () => JsonlStorage.open(path, { durability: "process", now });

/** Of what was not synced: nothing, all, and a mixture. */
const cuts: readonly Choose[] = [() => 0, (count) => Math.min(1, count - 1), mixture(3)];

function mixture(seed: number): Choose {
  let state = seed;
  return (count) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return (state >> 8) % count;
  };
}

/** For the loss of power each fault comes below too, on a disk that forgets. */
const cases: [Durability, DiskFault][] = [
  ...faults.map((fault): [Durability, DiskFault] => ["process", fault]),
  ["power", takesHalf],
];

describe.concurrent("a harness over a JSONL file", () => {
  test.each(cases.map(([durability, fault]) => [durability, fault.name, fault] as const))(
    "[A10][A13][K2] for %s, whose disk %s at any operation: faults, and recovers from all that was acknowledged",
    async (durability, _name, fault) => {
      const failed: string[] = [];
      for (let at = 1; ; at++) {
        const { life, path, dead, failedAt, compaction, closed } = await liveInFile(durability, fault, at);
        await checkWhatIsLeft(reopen(dead), life);
        if (!areSame(path, dead)) await checkWhatIsLeft(reopen(path), life);
        if (failedAt === undefined) {
          expectCompleted(life);
          expect([closed, compaction]).toEqual([{ kind: "answered" }, undefined]);
          break;
        }
        failed.push(failedAt);
        expectFaulted(life, path, reason);
        expect(closed).toMatchObject(fault.lasting ? { code: "storage_failed" } : { kind: "answered" });
        if (compaction !== undefined) expect(compaction).toMatchObject({ code: "storage_failed" });
      }
      expect(operations.filter((operation) => !failed.includes(operation))).toEqual([]);
      expect(failed.length).toBeGreaterThan(14);
    },
  );

  test.each(faults.map((fault) => [fault.name, fault] as const))(
    "[A13][K2] for power, whose disk %s at any operation and then loses power: recovers from all that was acknowledged",
    async (_name, fault) => {
      const seen = new Set<string>();
      let failedAt: string | undefined = "";
      for (let at = 1; failedAt !== undefined; at++) {
        const counter = new FaultCounter(fault);
        const files = new UnreliableDisk();
        const storage = await JsonlStorage.open("s", { files, durability: "power", now });
        files.intercept = interceptWith(counter);
        const { life, close } = await live(storage, counter, at);
        for (const left of cuts.map((cut) => files.afterPowerCut(cut))) {
          const key = `${life.acknowledged} ${left.names()} ${left.bytes("s")}`;
          if (!seen.has(key)) await checkWhatIsLeft(() => JsonlStorage.open("s", { files: left, now }), life);
          seen.add(key);
        }
        failedAt = counter.failedAt;
        if (failedAt !== undefined) expectFaulted(life, "s", reason);
        await close();
      }
      expect(seen.size).toBeGreaterThan(25);
    },
  );
});
