/** The order of the line (C1, C4, C5). */
import { beforeEach, describe, expect, test } from "vitest";
import { list } from "../addresses/address.ts";
import { Closed, HarnessFault } from "../errors.ts";
import type { CommitResult } from "../storage/contract/storage.ts";
import { appendList, type Write } from "../storage/contract/writes.ts";
import { MemoryStorage } from "../storage/memory/memory.ts";
import { Line } from "./line.ts";

const words = list<string>("test.words");
const turnOfTheLoop = () => new Promise((resolve) => setImmediate(resolve));

/** Parks every commit at its arrival. */
class ParkingStorage extends MemoryStorage {
  readonly parked: { land(): void; fail(error: Error): void }[] = [];

  override commit(writes: Write[]): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.parked.push({ land: () => super.commit(writes).then(resolve, reject), fail: reject });
    });
  }
}

describe("Line", () => {
  let storage: ParkingStorage;
  let line: Line;
  const append = (word: string) => line.append(() => [appendList(words, word)]);
  const transaction = (word: string) =>
    line.alone((turn) => turn.commit([appendList(words, word)], (result) => result));

  beforeEach(() => {
    storage = new ParkingStorage();
    line = new Line(storage, (cause) => line.seal(new HarnessFault(cause)));
  });

  test("[C1] an append is handed over within the call, and appends overlap", () => {
    void append("a");
    void append("b");

    expect(storage.parked).toHaveLength(2);
  });

  test("[C5] another job waits for the replies of all appends, and holds back what follows", async () => {
    void append("a");
    void append("b");
    void transaction("c");
    void append("d");
    expect(storage.parked).toHaveLength(2);
    storage.parked[0]?.land();
    await turnOfTheLoop();
    expect(storage.parked).toHaveLength(2);
    storage.parked[1]?.land();
    await turnOfTheLoop();
    expect(storage.parked).toHaveLength(3);
    storage.parked[2]?.land();
    await turnOfTheLoop();
    expect(storage.parked).toHaveLength(4);
    storage.parked[3]?.land();
    await turnOfTheLoop();
    expect((await storage.readList(words)).map(({ value }) => value)).toEqual(["a", "b", "c", "d"]);
  });

  test("[C4] a refused append writes nothing and is stale", async () => {
    expect(await line.append(() => undefined)).toBe("stale");
    expect(storage.parked).toHaveLength(0);
  });

  test("[K2] a failed commit seals the line: what is queued is dropped, late replies are not told", async () => {
    const failing = append("a");
    const overlapping = append("b");
    const queued = transaction("c");
    storage.parked[0]?.fail(new Error("disk"));
    await expect(failing).rejects.toThrow(HarnessFault);
    await expect(queued).rejects.toThrow(HarnessFault);
    storage.parked[1]?.land();
    await expect(overlapping).rejects.toThrow(HarnessFault);
    await expect(append("d")).rejects.toThrow(HarnessFault);
    expect(storage.parked).toHaveLength(2);
  });

  test("[K1] a sealed line is settled when the store has replied to all", async () => {
    append("a").catch(() => {});
    line.seal(new Closed());
    let settled = false;
    const waiting = line.settled().then(() => {
      settled = true;
    });
    await turnOfTheLoop();
    expect(settled).toBe(false);
    storage.parked[0]?.land();
    await waiting;
  });

  test("a job that throws frees the line", async () => {
    await expect(line.alone(async () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
    void append("a");
    expect(storage.parked).toHaveLength(1);
  });
});
