/** The store of a run stops each commit until the driver lands it, replies to it or fails it. */
import { describe, expect, test } from "vitest";
import {
  appendList,
  type CommitResult,
  insertEntry,
  list,
  MemoryStorage,
  setValue,
  value,
  type Write,
} from "../../src/index.ts";
import { StoreFailure } from "../adapters/adapter.ts";
import { GatedStorage } from "./gated-storage.ts";

const numbers = list<number>("app.numbers");
const note = value<string>("app.note");
const frame = (element: number): Write[] => [appendList(numbers, element)];
const internal = (text: string): Write[] => [setValue(note, text)];

/** A gate over a fresh store that calls list writes frames and all others internal, and writes down what lands. */
function gateOver(inner = new MemoryStorage({ now: () => 0 })) {
  const landed: string[] = [];
  const seen = { activity: 0, leaks: 0, refused: [] as string[] };
  const gate = new GatedStorage(inner, {
    nameOf: (writes) => (writes[0]?.kind === "list" ? "frame" : "internal"),
    landed: ({ name }, result) => {
      landed.push(`${name} ${result.firstSeq}`);
    },
    now: () => 0,
    refused: (name) => {
      seen.refused.push(name);
    },
    leaked: () => {
      seen.leaks++;
    },
    activity: () => {
      seen.activity++;
    },
  });
  const durable = async (): Promise<number[]> => (await inner.readList(numbers)).map((element) => element.value);
  return { inner, gate, storage: gate.asStorage(), landed, seen, durable };
}

/** What became of a promise, without waiting for it. */
function follow(promise: Promise<unknown>): { state: string } {
  const followed = { state: "pending" };
  promise.then(
    () => {
      followed.state = "resolved";
    },
    (error: unknown) => {
      followed.state = error instanceof StoreFailure ? "store failure" : String(error);
    },
  );
  return followed;
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("a named commit", () => {
  test("waits at arrival: nothing is durable, and the caller is not answered", async () => {
    const { gate, storage, durable } = gateOver();

    const commit = follow(storage.commit(frame(1)));
    await turn();

    expect(commit.state).toBe("pending");
    expect(await durable()).toEqual([]);
    expect(gate.parked).toMatchObject([{ name: "frame", landed: false }]);
  });

  test("is durable once it has landed, and its caller does not know", async () => {
    const { gate, storage, durable, landed } = gateOver();
    const commit = follow(storage.commit(frame(1)));

    await gate.land();
    await turn();

    expect(commit.state).toBe("pending");
    expect(await durable()).toEqual([1]);
    expect(landed).toEqual(["frame 1"]);
    expect(gate.parked).toMatchObject([{ landed: true }]);
  });

  test("is answered by its reply, with what the store said", async () => {
    const { gate, storage } = gateOver();
    const commit: Promise<CommitResult> = storage.commit([...frame(1), ...frame(2)]);
    await gate.land();

    gate.reply();

    expect((await commit).seqs).toEqual([1, 2]);
    expect(gate.parked).toEqual([]);
  });

  test("lands and is replied in the order of arrival", async () => {
    const { gate, storage, durable } = gateOver();
    const first = follow(storage.commit(frame(1)));
    const second = follow(storage.commit(frame(2)));

    await gate.land();
    await gate.land();
    gate.reply();
    await turn();

    expect(await durable()).toEqual([1, 2]);
    expect([first.state, second.state]).toEqual(["resolved", "pending"]);
  });

  test("cannot be replied before it has landed, and none can land that has not arrived", async () => {
    const { gate, storage } = gateOver();
    await expect(gate.land()).rejects.toThrow("No commit waits to land");

    void storage.commit(frame(1));

    expect(() => gate.reply()).toThrow("No landed commit");
  });

  test("lands as it was handed over, whatever its caller does with the array", async () => {
    const { gate, storage, durable } = gateOver();
    const writes = frame(1);
    void storage.commit(writes);

    writes.push(...frame(2));
    await gate.land();

    expect(await durable()).toEqual([1]);
  });
});

describe("a failing store", () => {
  test("[A13] before landing: nothing is durable, all behind fail, and every later commit is refused", async () => {
    const { gate, storage, durable } = gateOver();
    const commits = [1, 2, 3].map((element) => follow(storage.commit(frame(element))));

    gate.fail();
    const later = [follow(storage.commit(frame(4))), follow(storage.commit(internal("late")))];
    await turn();

    expect([...commits, ...later].map(({ state }) => state)).toEqual(new Array(5).fill("store failure"));
    expect(await durable()).toEqual([]);
    expect(gate.parked).toEqual([]);
  });

  test("[K2] after landing: the caller is told the same, and the effect stays", async () => {
    const { gate, storage, durable } = gateOver();
    const commits = [1, 2].map((element) => follow(storage.commit(frame(element))));
    await gate.land();

    gate.fail();
    await turn();

    expect(commits.map(({ state }) => state)).toEqual(["store failure", "store failure"]);
    expect(await durable()).toEqual([1]);
  });

  test("still reads: the harness may look at what is there", async () => {
    const { gate, storage } = gateOver();
    void follow(storage.commit(frame(1)));
    await gate.land();
    gate.fail();

    expect(await storage.readList(numbers)).toHaveLength(1);
  });
});

describe("an internal commit", () => {
  test("lands and is replied at once", async () => {
    const { storage, gate, landed } = gateOver();

    await storage.commit(internal("now"));

    expect(landed).toEqual(["internal 1"]);
    expect(gate.parked).toEqual([]);
    expect((await storage.getValue(note))?.value).toBe("now");
  });

  test("waits its turn behind a named one", async () => {
    const { gate, storage, landed } = gateOver();
    const named = follow(storage.commit(frame(1)));
    const own = follow(storage.commit(internal("next")));
    await turn();
    expect([named.state, own.state]).toEqual(["pending", "pending"]);

    await gate.land();
    gate.reply();
    await turn();

    expect([named.state, own.state]).toEqual(["resolved", "resolved"]);
    expect(landed).toEqual(["frame 1", "internal 2"]);
  });
});

describe("internal commits", () => {
  test("land once each and in order, also when the next arrives while one is landing", async () => {
    const { storage, landed } = gateOver();
    await Promise.all(["a", "b", "c"].map((text) => storage.commit(internal(text))));
    expect(landed).toEqual(["internal 1", "internal 2", "internal 3"]);
  });
});

describe("[A4] a transaction that the store refuses", () => {
  const orphan: Write[] = [insertEntry({ id: "e", parentId: "absent", type: "custom", customType: "note" })];

  test("rejects its caller with the refusal, is told, and lets the next commit pass", async () => {
    const { storage, seen } = gateOver();
    const refused = follow(storage.commit(orphan));
    const next = follow(storage.commit(internal("after")));
    await turn();
    await turn();
    expect(refused.state).toContain("StorageRejected");
    expect(next.state).toBe("resolved");
    expect(seen.refused).toEqual(["internal"]);
  });
});

describe("a process that is gone", () => {
  test("is never answered: neither what it had handed over nor what it asks later", async () => {
    const { gate, storage, durable, seen } = gateOver();
    const before = follow(storage.commit(frame(1)));
    await gate.land();

    gate.detach();
    const later = [storage.commit(frame(2)), storage.getValue(note), storage.readList(numbers)].map(follow);
    await turn();
    await turn();

    expect([before, ...later].map(({ state }) => state)).toEqual(new Array(4).fill("pending"));
    expect(seen.leaks).toBe(3);
    expect(gate.parked).toEqual([]);
    expect(await durable()).toEqual([1]);
  });
});

describe("the view of a process", () => {
  test("reports reads and commits as activity, and counts no call once all have answered", async () => {
    const { gate, storage, seen } = gateOver();

    const read = storage.getStats();
    expect(gate.openCalls).toBe(1);
    await read;

    expect(gate.openCalls).toBe(0);
    expect(seen.activity).toBeGreaterThan(1);
  });

  test("is closed without closing the file", async () => {
    const { inner, storage } = gateOver();

    await storage.close();

    await expect(inner.commit(frame(1))).resolves.toMatchObject({ firstSeq: 1 });
  });
});
