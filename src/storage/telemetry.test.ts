/** What telemetry tells, and what it never does (M1). */
import type { AssistantMessage, Usage } from "@earendil-works/pi-ai";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { list, value } from "../addresses/address.ts";
import { pendingAssistantFrames } from "../addresses/builtins.ts";
import { assistant, beginning, done, openWorld, ParkingStorage, quiet } from "../testing/harness/fakes.ts";
import type { Storage } from "./contract/storage.ts";
import { zeroUsage } from "./contract/usage-totals.ts";
import {
  appendList,
  deleteList,
  deleteValue,
  insertEntry,
  insertUsage,
  setValue,
  type Write,
} from "./contract/writes.ts";
import { MemoryStorage } from "./memory/memory.ts";
import { observeStorage, type TransactionRecord } from "./telemetry.ts";

const notes = value<unknown>("notes", "a");
const items = list<unknown>("items", "b");

function observed<S extends Storage>(store: S) {
  const records: TransactionRecord[] = [];
  return { storage: observeStorage(store, (record) => void records.push(record)), records };
}

const message = (id: string, parentId: string | null, content: string) =>
  insertEntry({ id, parentId, type: "message", message: { role: "user", content, timestamp: 1 } });

describe("storage telemetry", () => {
  test("[M1] tells kind, address and order of every write", async () => {
    const { storage, records } = observed(new MemoryStorage());
    await storage.commit([message("e", null, "x"), insertUsage({ id: "u", usage: zeroUsage(), adjustment: false })]);
    await storage.commit([setValue(notes, 1), appendList(items, 1), deleteValue(notes), deleteList(items)]);

    expect(records).toEqual([
      {
        transaction: 1,
        outcome: "landed",
        writes: [
          { kind: "entry", op: "insert", id: "e", seq: 1 },
          { kind: "usage", op: "insert", id: "u", seq: 2 },
        ],
      },
      {
        transaction: 2,
        outcome: "landed",
        writes: [
          { kind: "value", op: "set", namespace: "notes", key: "a", seq: 3 },
          { kind: "list", op: "append", namespace: "items", key: "b", seq: 4 },
          { kind: "value", op: "delete", namespace: "notes", key: "a", seq: 5 },
          { kind: "list", op: "delete", namespace: "items", key: "b", seq: 6 },
        ],
      },
    ]);
  });

  test("[M1] tells of a failed transaction without its error, which reaches the caller", async () => {
    const { storage, records } = observed(new MemoryStorage());

    await expect(storage.commit([message("e", "secret-parent", "secret")])).rejects.toThrow("secret-parent");
    expect(records).toEqual([
      { transaction: 1, outcome: "failed", writes: [{ kind: "entry", op: "insert", id: "e" }] },
    ]);
  });

  test("[M1] keeps the order of handing over when replies come in another one", async () => {
    const parking = new ParkingStorage();
    const { storage, records } = observed(parking);
    parking.armed = true;
    const first = storage.commit([setValue(notes, 1)]);
    const second = storage.commit([appendList(items, 1)]);
    parking.parked[1]?.land();
    parking.parked[0]?.land();
    await Promise.all([first, second]);

    expect(records.map(({ transaction, writes }) => [transaction, writes[0]?.kind])).toEqual([
      [2, "list"],
      [1, "value"],
    ]);
  });

  test("hands over within the call, and answers as the store does", async () => {
    const parking = new ParkingStorage();
    const { storage } = observed(parking);
    parking.armed = true;
    const writes = [setValue(notes, "kept")];
    const commit = storage.commit(writes);
    expect(parking.parked.map(({ writes: handed }) => handed)).toEqual([writes]);
    await parking.land();
    expect(await commit).toMatchObject({ firstSeq: 1, seqs: [1] });
    expect(await storage.getValue(notes)).toMatchObject({ value: "kept" });
    expect(storage).toBeInstanceOf(ParkingStorage);
  });

  test("[M1] is told no write of a malformed transaction, which the store refuses", async () => {
    const records: TransactionRecord[] = [];
    const storage = observeStorage(new MemoryStorage(), (record) => void records.push(record));
    const malformed = [[null], [message({ secret: 1 } as never, null, "x")], null, [setValue(notes, 1), "x"]];
    for (const writes of malformed) {
      await expect(storage.commit(writes as never)).rejects.toMatchObject({ reason: "malformed_write" });
    }

    expect(records).toEqual(malformed.map((_, index) => ({ transaction: index + 1, outcome: "failed", writes: [] })));
  });

  test("that throws fails no commit", async () => {
    const storage = observeStorage(new MemoryStorage(), () => {
      throw new Error("telemetry is down");
    });

    expect(await storage.commit([setValue(notes, 1)])).toMatchObject({ seqs: [1] });
    await expect(storage.commit([message("e", "nobody", "x")])).rejects.toMatchObject({ code: "storage_rejected" });
  });
});

/** Stands wherever content can stand. */
const marker = "SECRET";
const secret = fc.string().map((text) => `${text}${marker}${text}`);
const content = fc.oneof(
  secret,
  secret.map((text) => [text, { [text]: text }]),
  secret.map((delta) => ({ type: "text_delta", contentIndex: 0, delta })),
);
const write: fc.Arbitrary<(id: string) => Write> = fc.oneof(
  secret.map((text) => (id: string) => message(id, null, text)),
  fc.tuple(secret, content).map(
    ([customType, data]) =>
      (id: string) =>
        insertEntry({ id, parentId: null, type: "custom", customType, data: data as string }),
  ),
  content.map(
    (details) => (id: string) =>
      insertUsage({ id, usage: secretUsage(), adjustment: false, details: details as string }),
  ),
  content.map((held) => () => setValue(notes, held)),
  content.map((held) => () => appendList(items, held)),
  fc.constant(() => deleteList(items)),
);

function secretUsage(): Usage {
  const usage = { ...zeroUsage(), [marker]: 1 };
  return usage;
}

describe("content", () => {
  test("[M1] of no write enters the telemetry", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 4 }), async (transactions) => {
        const { storage, records } = observed(new MemoryStorage());
        let ids = 0;
        for (const makers of transactions) await storage.commit(makers.map((make) => make(`id${++ids}`)));
        expect(records.map(({ writes }) => writes.length)).toEqual(transactions.map(({ length }) => length));
        expect(JSON.stringify(records)).not.toContain(marker);
      }),
    );
  });

  test("[M1] of prompt, frames, response and usage stays out of a whole operation, its addresses do not", async () => {
    const parking = new ParkingStorage();
    const { storage, records } = observed(parking);
    const world = await openWorld({ systemPrompt: `${marker} system` }, storage);
    const { operationId } = await world.lane.accept({ prompt: `${marker} prompt` });
    const activation = world.lane.activate();
    await quiet();
    await world.provider.last.push(...beginning(`${marker} frame`));
    const answer: Partial<AssistantMessage> = { responseId: `${marker} id`, usage: secretUsage() };
    await world.provider.last.push(done(assistant(`${marker} answer`, answer)));
    await activation;
    expect((await storage.scanEntries({})).map((entry) => JSON.stringify(entry).includes(marker))).toEqual([
      true,
      true,
    ]);
    expect(JSON.stringify(records)).not.toContain(marker);
    const [, response] = await storage.scanEntries({});
    const { namespace, key } = pendingAssistantFrames(operationId, response?.id ?? "");
    const appends = records.filter(({ writes }) => writes[0]?.kind === "list");
    expect(appends.map(({ writes }) => writes)).toEqual(
      Array.from({ length: 3 }, () => [{ kind: "list", op: "append", namespace, key, seq: expect.any(Number) }]),
    );
  });
});
