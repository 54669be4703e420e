/** Loss of power at every moment (A9, A13). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { list } from "../../addresses/address.ts";
import { contentOf, count, deferred, note, usage, words } from "../../testing/jsonl/sessions.ts";
import { UnreliableDisk } from "../../testing/jsonl/unreliable-disk.ts";
import { type Choose, sectorBytes } from "../../testing/jsonl/unreliable-file.ts";
import type { Durability } from "../contract/storage.ts";
import { appendList, deleteList, setValue, type Write } from "../contract/writes.ts";
import { MemoryStorage } from "../memory/memory.ts";
import { JsonlStorage } from "./jsonl.ts";

type Step = { readonly kind: "burst"; readonly size: number } | { readonly kind: "compact" | "reopen" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("burst" as const), size: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("compact" as const, "reopen" as const) }) },
);

/** Transaction number `index`: each leaves its trace, some leave things for compaction to drop. */
function transaction(index: number): Write[] {
  const writes: Write[] = [appendList(words, `word ${index}`), setValue(count, index)];
  if (index % 3 === 0) writes.push(note(`n${index}`), usage(`u${index}`));
  if (index % 4 === 0) writes.push(deleteList(list("test.other")));
  else writes.push(appendList(list("test.other"), "o".repeat(index % 90)));
  return index % 5 === 0 ? writes.slice(0, 1) : writes;
}

/** A session over several lives, each of which ends with the power. */
class Lives {
  disk = new UnreliableDisk();
  /** How many transactions are known to be in the session, and how many were handed to it. */
  acknowledged = 0;
  handed = 0;

  /** Runs the steps until the disk is called for the `cutAt`-th time; that call never returns. */
  async live(steps: readonly Step[], cutAt: number): Promise<void> {
    const cut = deferred();
    const parked = deferred<undefined>();
    let calls = 0;
    this.disk.intercept = () => {
      if (++calls < cutAt) return undefined;
      cut.resolve();
      return parked.promise;
    };
    await Promise.race([this.#run(steps), cut.promise]);
  }

  async #run(steps: readonly Step[]): Promise<void> {
    let storage = await this.#open();
    for (const { kind, ...rest } of steps) {
      if (kind === "compact") await storage.compact();
      else if (kind === "burst") await this.#burst(storage, "size" in rest ? rest.size : 0);
      else {
        await storage.close();
        storage = await this.#open();
      }
    }
    await storage.close();
  }

  async #burst(storage: JsonlStorage, size: number): Promise<void> {
    const commits = Array.from({ length: size }, async () => {
      const index = this.handed++;
      await storage.commit(transaction(index));
      this.acknowledged = Math.max(this.acknowledged, index + 1);
    });
    await Promise.all(commits);
  }

  /** What is there after the power cut is the session after the first so many transactions, acknowledged ones included. */
  async cutPower(choose: Choose): Promise<void> {
    this.disk = this.disk.afterPowerCut(choose);
    const storage = await this.#open();
    const landed = await this.#landed(storage);
    expect(landed).toBeGreaterThanOrEqual(this.acknowledged);
    expect(landed).toBeLessThanOrEqual(this.handed);
    const memory = new MemoryStorage({ now: () => 7 });
    for (let index = 0; index < landed; index++) await memory.commit(transaction(index));
    expect(await contentOf(storage)).toEqual(await contentOf(memory));
    await storage.close();
    this.handed = landed;
    this.acknowledged = landed;
  }

  async #landed(storage: JsonlStorage): Promise<number> {
    return (await storage.readList(words, { limit: 10_000 })).length;
  }

  #open(): Promise<JsonlStorage> {
    return JsonlStorage.open("s", { files: this.disk, durability: "power", now: () => 7 });
  }
}

/** The bytes of a session whose transactions were handed over one by one, then in a burst. */
async function written(durability: Durability, size = 12): Promise<Buffer> {
  const files = new UnreliableDisk();
  const storage = await JsonlStorage.open("s", { files, durability, now: () => 7 });
  const half = Math.floor(size / 2);
  for (let index = 0; index < half; index++) await storage.commit(transaction(index));
  await Promise.all(Array.from({ length: size - half }, (_, index) => storage.commit(transaction(half + index))));
  await storage.close();
  return files.bytes("s") ?? Buffer.alloc(0);
}

describe("durability power", () => {
  test("[A9, A13] every acknowledged transaction survives every power cut, and a prefix of the rest", async () => {
    let cuts = 0;
    let lost = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(step, { maxLength: 5 }), fc.integer({ min: 1, max: 25 })), {
          minLength: 1,
          maxLength: 3,
        }),
        fc.gen(),
        async (lives, gen) => {
          const session = new Lives();
          for (const [steps, cutAt] of lives) {
            await session.live(steps, cutAt);
            const before = session.handed;
            await session.cutPower((size) => gen(fc.nat, { max: size - 1 }));
            cuts++;
            if (session.handed < before) lost++;
          }
        },
      ),
      { seed: 1, numRuns: 400 },
    );
    // The power cuts did cost transactions that nobody had been promised.

    expect(cuts).toBeGreaterThan(400);
    expect(lost).toBeGreaterThan(30);
  });

  const eachCall = Array.from({ length: 24 }, (_, index) => index + 1);
  const steps: Step[] = [
    { kind: "burst", size: 3 },
    { kind: "compact" },
    { kind: "burst", size: 2 },
    { kind: "reopen" },
    { kind: "burst", size: 1 },
  ];

  test.each(eachCall)(
    "[A10] a power cut at disk call %i, with all or nothing of what was not synced",
    async (cutAt) => {
      for (const choose of [() => 0, (size: number) => Math.min(1, size - 1), (size: number) => size - 1]) {
        const session = new Lives();
        await session.live(steps, cutAt);
        await session.cutPower(choose);
        await session.live([{ kind: "burst", size: 2 }], 1_000);
        expect(session.acknowledged).toBe(session.handed);
        await session.cutPower(choose);
      }
    },
  );

  test("[A13] what was read at open survives a power cut, though another process did not sync it", async () => {
    let files = new UnreliableDisk();
    const open = (durability: "process" | "power") => JsonlStorage.open("s", { files, durability });
    const careless = await open("process");
    await careless.commit([appendList(words, "x")]);
    await careless.close();
    const careful = await open("power");
    expect(await careful.readList(words)).toHaveLength(1);
    await careful.kill();
    files = files.afterPowerCut(() => 0);
    const after = await open("power");
    expect(await after.readList(words)).toHaveLength(1);
    await after.close();
  });

  test("a hole in the last write is torn, though whole lines follow it", async () => {
    const session = new Lives();
    await session.live([{ kind: "burst", size: 6 }], 1_000);
    const bytes = session.disk.bytes("s") ?? Buffer.alloc(0);
    // Behind the header and the first commit, one write of five lines; the hole is in its second.
    const [second = 0] = [...bytes.toString("latin1").matchAll(/\n /g)].map(({ index }) => index);
    const hole = Math.ceil((second + 2) / sectorBytes) * sectorBytes;
    session.disk.place("s", Buffer.from(bytes).fill(0, hole, hole + sectorBytes));
    session.acknowledged = 2;
    await session.cutPower(() => 0);

    expect(session.handed).toBe(2);
  });

  test("[A9] a hole in front of a later write is corruption", async () => {
    const session = new Lives();
    await session.live(
      [
        { kind: "burst", size: 1 },
        { kind: "burst", size: 1 },
      ],
      1_000,
    );
    const bytes = session.disk.bytes("s") ?? Buffer.alloc(0);
    const hole = Math.ceil((bytes.indexOf("\n") + 2) / sectorBytes) * sectorBytes;
    session.disk.place("s", Buffer.from(bytes).fill(0, hole, hole + sectorBytes));

    await expect(session.cutPower(() => 0)).rejects.toMatchObject({ code: "corrupt_session", line: 2 });
  });

  test.each(["process", "power"] as const)(
    "[A9] each single zero byte behind the header is damage (%s), but one that a lost block can have left",
    async (durability) => {
      const whole = await written(durability);
      const header = whole.indexOf("\n") + 1;
      const opened: number[] = [];
      for (let at = header; at < whole.length; at++) {
        const files = new UnreliableDisk();
        const damaged = Buffer.from(whole).fill(0, at, at + 1);
        files.place("s", damaged);
        const error = await JsonlStorage.open("s", { files, durability }).then(
          () => undefined,
          (reason) => reason,
        );
        if (error === undefined) opened.push(at);
        else expect(error).toMatchObject({ code: "corrupt_session" });
        expect(files.bytes("s")?.equals(damaged) === (error !== undefined)).toBe(true);
      }

      // The first byte of a write that begins with the last byte of a block.
      const begins = [...whole.toString("latin1").matchAll(/\n[^ ]/g)].map(({ index }) => index + 1).slice(-1);
      expect(opened).toEqual(begins.filter((at) => at % sectorBytes === sectorBytes - 1));
    },
  );

  test("[A13] with process, what a power cut leaves is a prefix of the transactions", async () => {
    let lost = 0;
    await fc.assert(
      fc.asyncProperty(fc.gen(), fc.nat(9), async (gen, known) => {
        const choose = (size: number) => gen(fc.nat, { max: size - 1 });
        const files = new UnreliableDisk();
        files.place("s", await written("process", known));
        const storage = await JsonlStorage.open("s", { files, durability: "process" });
        for (let index = known; index < 10; index++) await storage.commit(transaction(index));
        await storage.kill();

        const after = await JsonlStorage.open("s", { files: files.afterPowerCut(choose), durability: "process" });
        const left = (await after.readList(words)).map(({ value }) => value);
        expect(left).toEqual(Array.from({ length: left.length }, (_, index) => `word ${index}`));
        expect(left.length).toBeGreaterThanOrEqual(known);
        if (left.length < 10) lost++;
        await after.close();
      }),
      { seed: 1, numRuns: 300 },
    );

    expect(lost).toBeGreaterThan(100);
  });
});
