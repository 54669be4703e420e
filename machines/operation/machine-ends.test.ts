/** How an operation ends early: by finalization, close, crash or fault. Walked through the machine step by step. */
import { describe, expect, test } from "vitest";
import { transition } from "xstate";
import { operationEvents } from "../alphabet.ts";
import { can, drain, initialState, road, walk, walkFaulting } from "../testing/operation-walk.ts";
import type { Effect } from "../vocabulary.ts";
import { boundsByName, boundsFor } from "./bounds.ts";
import { operationMachine } from "./machine.ts";
import { type OperationSnapshot, pathOf } from "./projection.ts";
import type { Bounds } from "./rules/context.ts";

const calls = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) =>
    effect.kind === "call" && !effect.optional ? [`${effect.call}: ${effect.outcome}`] : [],
  );
const events = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) => (effect.kind === "event" && !effect.optional ? [effect.name] : []));

describe("external finalization", () => {
  test("[K3] after an append deletes the list with the operation", () => {
    const appended = walk(...road.started, "finalize", "land", "reply", "land");

    expect(appended.state.context.durable).toMatchObject({ at: "none", listed: 0, outcome: "finalized" });
    expect(appended.and("reply").place).toBe("finalized");
  });

  test("[C4] ahead of an append fences it: nothing is left on the line", () => {
    const fenced = walk(...road.streaming, "finalize", "stream.start", "land", "reply");

    expect(fenced.place).toBe("finalized");
    expect(fenced.line).toEqual([]);
    expect(fenced.state.context.durable).toMatchObject({ listed: 0, outcome: "finalized" });
    expect(calls(fenced.shown)).toEqual(["activate: finalized", "finalize: ok"]);
  });

  test("[K3] ahead of a settlement: no response is inserted", () => {
    const finalized = drain(walk(...road.listed, "stream.end stop", "finalize", "hook.release"));

    expect(finalized.place).toBe("finalized");
    expect(finalized.allShown.filter(({ kind }) => kind === "response")).toEqual([]);
  });

  test("[K3] while no process holds the session", () => {
    const offline = walk(...road.listed, "crash", "finalize");

    expect(offline.state.context.durable.outcome).toBe("finalized");
    expect(offline.and("reopen").place).toBe("finalized");
    expect(can(offline, "finalize")).toBe(false);
  });
});

describe("close, crash and fault", () => {
  test.each([
    ["close", "closed"],
    ["stream.defect iterator_throws (harness)", "fault"],
  ])("[K1] [K2] whatever is called after %s is rejected with it", (stop, reason) => {
    const stopped = walkFaulting(...road.streaming, stop, ...(stop === "close" ? ["late"] : []));

    for (const call of ["accept", "activate", "cancel"]) {
      const called = stopped.and(call);
      expect(calls(called.shown)).toEqual([`${call}: ${reason}`]);
      expect(called.state.context).toEqual(stopped.state.context);
    }
  });

  test("[K1] a promise of a cancel that a listener holds back may be rejected by the close", () => {
    const held = walk(...road.streaming, "cancel", "stream.start", "land", "reply", "close");

    expect(calls(held.shown)).toEqual(["activate: closed"]);
    expect(held.shown).toContainEqual({ kind: "call", call: "cancel", outcome: "closed", optional: true });
  });

  test("[K1] close keeps the head of the line or every overlapping append, and says which cases differ", () => {
    const twoFrames = walk(...road.started, "stream.update");

    expect(twoFrames.and("close").line).toEqual(["frame", "frame"]);
    expect(twoFrames.and("close head").line).toEqual(["frame"]);
    expect(can(walk(...road.started), "close head")).toBe(false);
  });

  test("[K1] close drops what was not handed over, rejects promises and ends with its last reply", () => {
    const closed = walk(...road.started, "cancel", "close");
    expect(closed.place).toBe("closed");
    expect(closed.line).toEqual(["frame"]);
    expect(calls(closed.shown)).toEqual(["activate: closed", "cancel: closed"]);
    expect(can(closed, "reopen")).toBe(false);

    const waited = closed.and("land", "reply");
    expect(calls(waited.shown)).toEqual(["close: ok"]);
    expect(waited.and("reopen").place).toBe("suspended");
  });

  test("[A13] a failed commit takes all behind it along, landed or not", () => {
    const notLanded = walk(...road.started, "stream.update", "fail");
    expect(notLanded.place).toBe("faulted");
    expect(notLanded.line).toEqual([]);
    expect(notLanded.state.context.durable.listed).toBe(0);

    const lost = walk(...road.started, "land", "lose_reply");
    expect(lost.place).toBe("faulted");
    expect(lost.state.context.durable.listed).toBe(1);
    expect(events(lost.shown)).toEqual(["fault"]);
    expect(calls(lost.shown)).toEqual(["activate: fault"]);
  });

  test("[B3] a defect of the provider may fault the harness, and then settles nothing", () => {
    const faulted = walkFaulting(...road.listed, "stream.defect second_start (harness)");

    expect(faulted.place).toBe("faulted");
    expect(faulted.and("reopen").place).toBe("suspended");
    expect(can(walk(...road.streaming), "stream.defect second_start")).toBe(false);
    expect(can(walk(...road.listed), "stream.defect done_before_start")).toBe(false);
  });

  test("[Q6] a defect may cost its response alone: an error with its hook, which is retried", () => {
    const broken = walk(...road.listed, "stream.defect second_start");

    expect(broken.place).toBe("effect_pending.after_response");
    const settled = broken.and("hook.release", "land", "reply");
    expect(settled.place).toBe("retry_wait.waiting");
    expect(settled.state.context.durable).toMatchObject({ attempt: 2, listed: 0 });
  });

  test("[E5] recovery settles the orphan under its own ids before a later attempt", () => {
    const recovering = walk(...road.listed, "crash", "reopen", "activate");
    expect(recovering.line).toEqual(["recover"]);

    const recovered = recovering.and("land");
    expect(recovered.shown).toEqual([
      { kind: "response", insert: { origin: "synthetic", stop: "error", hooked: false } },
    ]);
    expect(recovered.state.context.durable).toMatchObject({ at: "retry_wait", attempt: 2, listed: 0 });
    expect(recovered.and("reply").place).toBe("retry_wait.waiting");
  });

  test("[E7] a landed intent is an attempt: a second orphan fails the operation", () => {
    const second = walk(...road.listed, "crash", "reopen", "activate", "land", "reply", "tick", "land");

    const recovered = second.and("crash", "reopen", "activate", "land");

    expect(recovered.state.context.durable).toMatchObject({ at: "none", outcome: "failed" });
  });

  test("[F3] a restored cancelled orphan is settled as aborted, without a retry", () => {
    const recovered = walk(...road.listed, "cancel", "land", "crash", "reopen", "activate", "land");

    expect(recovered.shown).toEqual([
      { kind: "response", insert: { origin: "synthetic", stop: "aborted", hooked: false } },
    ]);
    expect(drain(recovered).place).toBe("cancelled.done");
  });

  test("[E9] a crash during recovery leaves what a further recovery starts from", () => {
    const once = walk(...road.listed, "crash", "reopen", "activate");

    const again = once.and("crash", "reopen", "activate");

    expect(again.state.value).toEqual(once.state.value);
    expect(again.state.context).toEqual(once.state.context);
  });
});

describe("the whole chart", () => {
  const leaves = leavesOf(operationMachine.root);
  const reached = reachable(boundsByName.default);
  const reachedFaulting = reachable(boundsFor("default", "harness"));

  test("every state is reachable at default bounds", () => {
    const unreachable = leaves.filter((leaf) => !reached.paths.has(leaf));

    expect(unreachable).toEqual([]);
  });

  test("[N13] no state is a trap: each can be left", () => {
    expect(reached.traps).toEqual([]);
  });

  test("every event of the alphabet is enabled somewhere, whatever a defect costs, but two that need frames where none can be", () => {
    const never = operationEvents.filter((event) =>
      [reached, reachedFaulting].every(({ events }) => !events.has(JSON.stringify(event))),
    );

    expect(never).toEqual([
      { type: "stream.defect", defect: "update_before_start", costs: "harness", kept: "head" },
      { type: "stream.defect", defect: "done_before_start", costs: "harness", kept: "head" },
    ]);
  });
});

interface Node {
  readonly key: string;
  readonly path: readonly string[];
  readonly states: Readonly<Record<string, Node>>;
}

function leavesOf(node: Node): string[] {
  const children = Object.values(node.states);
  return children.length === 0 ? [node.path.join(".")] : children.flatMap(leavesOf);
}

function reachable(bounds: Bounds) {
  const first = initialState(bounds);
  const seen = new Set<string>();
  const found = { paths: new Set<string>(), events: new Set<string>(), traps: [] as string[] };
  const frontier: OperationSnapshot[] = [first];
  for (let state = frontier.pop(); state !== undefined; state = frontier.pop()) {
    const key = JSON.stringify([state.value, state.context]);
    if (seen.has(key)) continue;
    seen.add(key);
    found.paths.add(pathOf(state.value));
    const enabled = operationEvents.filter((event) => state?.can(event));
    if (enabled.length === 0) found.traps.push(pathOf(state.value));
    for (const event of enabled) {
      found.events.add(JSON.stringify(event));
      frontier.push(transition(operationMachine, state, event)[0]);
    }
  }
  return found;
}
