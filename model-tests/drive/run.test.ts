/** A schedule is driven against a harness, and the first step that parts from the machine is named. */
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import type { Adapter, Incarnation, Surroundings } from "../adapters/adapter.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import { AdapterError } from "../errors.ts";
import { explore, type Graph } from "../explore/graph.ts";
import { exploringMs } from "../testing/graphs.ts";
import { misbehaving, newStore, reference, refusesCancel } from "../testing/subjects.ts";
import { edgesOf } from "../verify/labels.ts";
import { type RunResult, run, type Subject } from "./run.ts";

let graph: Graph;
beforeAll(() => {
  graph = explore(boundsByName.small);
}, exploringMs);

const drive = (subject: Subject, ...labels: string[]): Promise<RunResult> =>
  run(subject, graph, edgesOf(graph, labels));
const subjectOf = (boot: Adapter["boot"]): Subject => ({
  adapter: { ...referenceAdapter, name: "bad", boot },
  newStore,
});

const accepted = ["accept", "land", "reply"];
const streaming = [...accepted, "activate", "land", "reply"];
const orphaned = [...streaming, "stream.start", "listener.release", "land", "reply", "crash", "reopen"];

describe("the reference is driven to the end of", () => {
  test.each([
    [
      "a plain answer",
      [
        ...streaming,
        "stream.start",
        "land",
        "reply",
        "listener.release",
        "stream.end stop",
        "hook.release",
        "land",
        "reply",
        "land",
        "reply",
      ],
    ],
    [
      "a tool call",
      [
        ...streaming,
        "stream.start",
        "land",
        "reply",
        "listener.release",
        "stream.end toolUse",
        "hook.release",
        "land",
        "reply",
        "land",
        "reply",
        "land",
        "reply",
        "tool.return look",
        "land",
        "reply",
        "tool.return send",
        "land",
        "reply",
        "land",
        "reply",
      ],
    ],
    [
      "a retry",
      [
        ...streaming,
        "stream.end retryable",
        "hook.release",
        "land",
        "reply",
        "tick",
        "land",
        "reply",
        "stream.end retryable",
        "hook.release",
        "land",
        "reply",
      ],
    ],
    ["a recovery with a snapshot before it", [...orphaned, "snapshot", "activate", "land", "reply"]],
    [
      "a cancel during the stream",
      [
        ...streaming,
        "stream.start",
        "listener.release",
        "cancel",
        "land",
        "reply",
        "land",
        "reply",
        "stream.end aborted",
        "land",
        "reply",
        "land",
        "reply",
      ],
    ],
    ["a finalization from outside", [...orphaned.slice(0, -1), "finalize", "reopen", "accept"]],
    ["a close with an append at the store", [...streaming, "stream.start", "close", "land", "reply", "reopen"]],
    ["a lost reply", [...streaming, "stream.start", "land", "lose_reply", "reopen", "activate", "land", "reply"]],
    ["a defect of the provider", [...streaming, "stream.defect done_before_start", "hook.release", "land", "reply"]],
    [
      "a recovery after somebody removed the frames",
      [...orphaned.slice(0, -1), "frames.remove", "reopen", "activate", "land"],
    ],
    [
      "a recovery after the list has grown long",
      [...orphaned.slice(0, -1), "frames.lengthen", "reopen", "snapshot", "activate", "land"],
    ],
  ])("%s", async (_name, labels) => {
    const result = await drive(reference, ...labels);

    expect(result.end).toEqual({ kind: "completed" });
    expect(result.steps.map(({ edge }) => edge.action)).toEqual(labels);
  });

  test("a schedule of no steps", async () => {
    expect(await drive(reference)).toMatchObject({ steps: [], end: { kind: "completed" } });
  });
});

test("a step is a fact: what landed, was announced and settled", async () => {
  const { steps } = await drive(reference, ...streaming);

  expect(steps[1]?.fact.landings).toMatchObject([{ commit: "accept" }]);
  expect(steps[2]?.fact.calls).toEqual([{ call: "accept", outcome: "ok" }]);
  expect(steps[3]?.fact.atStore).toEqual(["intent"]);
  expect(steps[5]?.fact).toMatchObject({ requests: [{ contextStops: [] }], durable: { at: "effect_pending" } });
  expect(steps[5]?.fact.pendingResponse).toEqual(steps[5]?.fact.requests[0]?.response);
});

test("an action that the implementation does not offer is no failure", async () => {
  const { end, steps } = await drive(
    reference,
    ...streaming,
    "stream.start",
    "listener.release",
    "stream.update",
    "close (head)",
  );

  // The reference hands over both appends: the other allowed case of close.
  expect(end).toMatchObject({ kind: "not offered", edge: { action: "close" }, because: "case" });
  expect(steps.at(-1)?.fact.atStore).toEqual(["frame", "frame"]);
});

describe("a divergence names the step and the first field that parts", () => {
  test("a cancel that is refused", async () => {
    const { end, steps } = await drive(refusesCancel, ...accepted, "cancel", "land");

    expect(steps).toHaveLength(3);
    expect(end).toMatchObject({
      kind: "diverged",
      edge: { action: "cancel" },
      mismatch: { field: "commits at the store", expected: "cancel", actual: "none" },
    });
  });

  test("a rejection that is not typed", async () => {
    const untyped = misbehaving(() => ({ cancel: () => Promise.reject(new TypeError("oops")) }));

    const { end } = await drive(untyped, ...accepted, "cancel");

    expect(end).toMatchObject({
      kind: "diverged",
      mismatch: { field: "anomaly", actual: expect.stringContaining("oops") },
    });
  });

  test("a snapshot that shows another transcript", async () => {
    const forgetful = misbehaving((own) => ({
      snapshot: async () => ({ ...(await own.snapshot()), transcript: [] }),
    }));

    const { end } = await drive(forgetful, ...accepted, "snapshot");

    expect(end).toMatchObject({ kind: "diverged", mismatch: { requirement: "I2" } });
  });

  test("a snapshot that shows no partial", async () => {
    const blind = misbehaving((own) => ({
      snapshot: async () => ({ ...(await own.snapshot()), streamingMessage: undefined }),
    }));

    const { end } = await drive(blind, ...orphaned, "snapshot");

    expect(end).toMatchObject({ kind: "diverged", mismatch: { requirement: "I1", actual: "absent" } });
  });

  test("a session that cannot be opened again", async () => {
    let boots = 0;
    const once = subjectOf((surroundings) => {
      if (++boots > 1) throw new Error("the file is locked");
      return referenceAdapter.boot(surroundings);
    });

    const { end } = await drive(once, ...orphaned);

    expect(end).toMatchObject({
      kind: "diverged",
      edge: { action: "reopen" },
      mismatch: { requirement: "E1", actual: "the file is locked" },
    });
  });

  test("a process that still acts after its crash", async () => {
    const seen: Surroundings[] = [];
    const undead = subjectOf((surroundings) => {
      const [before] = seen;
      seen.push(surroundings);
      void before?.deliver({ name: "message_update", recovery: false });
      return referenceAdapter.boot(surroundings);
    });

    const { end } = await drive(undead, ...orphaned);

    expect(end).toMatchObject({
      kind: "diverged",
      edge: { action: "reopen" },
      mismatch: { field: "anomaly", requirement: "K1", actual: "a process that is gone still acts" },
    });
  });

  test("a promise that never settles", async () => {
    const silent = misbehaving((own) => ({
      accept: (prompt) => own.accept(prompt).then(() => new Promise(() => {})),
    }));

    const { end } = await drive(silent, ...accepted);

    expect(end).toMatchObject({ kind: "diverged", edge: { action: "reply" }, mismatch: { expected: "accept: ok" } });
  });
});

describe("[N13] an implementation that never comes to rest", () => {
  let moving = false;
  afterEach(() => {
    moving = false;
  });

  test("diverges, and says so", async () => {
    let surroundings: Surroundings | undefined;
    const restless = subjectOf(async (given) => {
      surroundings = given;
      const own: Incarnation = await referenceAdapter.boot(given);
      const cancel: Incarnation["cancel"] = () => {
        moving = true;
        move();
        return own.cancel();
      };
      return { ...own, cancel };
    });
    const move = (): void => {
      if (!moving) return;
      void surroundings?.storage.getStats();
      setImmediate(move);
    };

    const { end } = await drive(restless, ...accepted, "cancel");

    expect(end).toMatchObject({ kind: "diverged", edge: { action: "cancel" }, mismatch: { field: "quiescence" } });
  });
});

describe("an adapter that is itself at fault ends the verification", () => {
  test.each([
    ["cannot boot", subjectOf(() => Promise.reject(new Error("no such module"))), /"bad" cannot boot: no such module/],
    ["answers nonsense", misbehaving(() => ({ accept: () => Promise.resolve("maybe" as "ok") })), /accept.*"maybe"/],
    [
      "answers no promise",
      misbehaving(() => ({ accept: () => "ok" as unknown as Promise<"ok"> })),
      /accept.*no promise/,
    ],
  ])("when it %s", async (_name, subject, complaint) => {
    const driven = drive(subject, "accept");

    await expect(driven).rejects.toThrow(AdapterError);
    await expect(driven).rejects.toThrow(complaint);
  });

  test("what it installed is taken back all the same", async () => {
    const calls: string[] = [];
    const adapter: Adapter = {
      ...referenceAdapter,
      boot: () => Promise.reject(new Error("no")),
      install: () => {
        calls.push("installed");
        return () => void calls.push("taken back");
      },
    };

    await expect(drive({ adapter, newStore }, "accept")).rejects.toThrow(AdapterError);

    expect(calls).toEqual(["installed", "taken back"]);
  });
});
