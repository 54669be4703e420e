/** Two lanes of one session: what they share, and that neither moves the other. */
import { describe, expect, test } from "vitest";
import { roadOf, type SessionWalk, walkFaultingSession, walkSession } from "../testing/session-walk.ts";
import type { Effect } from "../vocabulary.ts";

const [a, b] = [roadOf("a"), roadOf("b")];
const bothStreaming = walkSession(...a.streaming, ...b.streaming);
const calls = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) => (effect.kind === "call" ? [`${effect.call}: ${effect.outcome}`] : []));
const kinds = (effects: readonly Effect[]): string[] => effects.map(({ kind }) => kind);

describe("one line for two lanes", () => {
  test("[C1] frames of both lanes land together, in the order in which they were queued", () => {
    const queued = bothStreaming.and("a: stream.start", "b: stream.start", "a: stream.update");

    expect(queued.line).toEqual(["a frame", "b frame", "a frame"]);
    expect(queued.enabled).toContain("a: land");
    expect(queued.enabled).not.toContain("b: land");
    expect(queued.and("a: land", "b: land", "a: land").line).toEqual([
      "a frame landed",
      "b frame landed",
      "a frame landed",
    ]);
  });

  test("[C7] any other commit waits for the replies ahead of it, whichever lane they are of", () => {
    const cancelled = bothStreaming.and("b: stream.start", "a: cancel");

    expect(cancelled.and("b: land").enabled).not.toContain("a: land");
    expect(cancelled.and("b: land", "b: reply").enabled).toContain("a: land");
  });

  test("[K3] a call that a finalization has left behind is refused at its turn, not before", () => {
    const settled = walkSession(...b.streaming, ...a.settling, "a: land", "a: reply");
    const behind = settled.and("b: stream.start", "a: cancel", "a: land");

    const ended = behind.and("a: reply");
    expect(ended.line).toEqual(["b frame", "a cancel idle"]);
    expect(calls(ended.shown.a)).toEqual(["activate: completed"]);

    const turn = ended.and("b: land", "b: reply");
    expect(turn.line).toEqual([]);
    expect(calls(turn.shown.a)).toEqual(["cancel: refused"]);
    expect(turn.shown.b).toEqual([]);
  });

  test("[C4] a finalization takes the appends behind it off the line, and none of the other lane", () => {
    const fenced = bothStreaming.and("a: finalize", "a: stream.start", "b: stream.start", "a: land", "a: reply");

    expect(fenced.line).toEqual(["b frame"]);
    expect(fenced.and("b: land").shown).toEqual({ a: [], b: [{ kind: "frame" }] });
  });
});

describe("a step of one lane leaves the other as it is", () => {
  test.each([
    ["frame", bothStreaming.and("b: stream.start"), ["a: stream.start"]],
    ["cancel", bothStreaming, ["a: cancel", "a: land", "a: reply"]],
    ["finalization", bothStreaming, ["a: finalize", "a: land", "a: reply"]],
    ["settlement", walkSession(...b.streaming, ...a.settling), ["a: land", "a: reply"]],
  ])("[F1] [K3] [C1] [D1] %s", (_, before, steps) => {
    let walk: SessionWalk = before;
    for (const step of steps) {
      walk = walk.and(step);
      expect(walk.session.lanes.b).toBe(before.session.lanes.b);
      expect(walk.shown.b).toEqual([]);
    }
  });
});

describe("what stops the harness stops both lanes", () => {
  test.each(["a: fail", "b: fail"])("[K2] %s: drives stop, calls reject, signals are pulled", (failing) => {
    const first = failing.slice(0, 1);
    const second = first === "a" ? "b" : "a";
    const failed = bothStreaming.and(`${first}: stream.start`, `${second}: stream.start`, failing);

    expect(failed.places).toEqual({ a: "faulted", b: "faulted" });
    expect(failed.line).toEqual([]);
    for (const effects of Object.values(failed.shown)) {
      expect(kinds(effects)).toEqual(["event", "call", "signal"]);
      expect(calls(effects)).toEqual(["activate: fault"]);
    }
  });

  test("[K2] a lost reply leaves what has landed, on both lanes", () => {
    const lost = bothStreaming.and("a: stream.start", "b: stream.start", "a: land", "b: land", "a: lose_reply");

    expect(lost.session.lanes.a.snapshot.context.durable.listed).toBe(1);
    expect(lost.session.lanes.b.snapshot.context.durable.listed).toBe(1);
  });

  test("[K2] an idle lane hears of the fault, and rejects later calls with it", () => {
    const failed = walkSession("a: accept", "a: fail");

    expect(kinds(failed.shown.b)).toEqual(["event"]);
    expect(calls(failed.and("b: accept").shown.b)).toEqual(["accept: fault"]);
  });

  test("[K2] a call that waits for its refusal is rejected with the fault", () => {
    const settled = walkSession(...b.streaming, ...a.settling, "a: land", "a: reply");
    const waiting = settled.and("b: stream.start", "a: cancel", "a: land", "a: reply");

    expect(calls(waiting.and("b: fail").shown.a)).toEqual(["cancel: fault"]);
  });

  test("[Q6] but a defect of one lane's provider does not, where it costs its response alone", () => {
    expect(bothStreaming.and("a: stream.defect").places).toEqual({
      a: "effect_pending.after_response",
      b: "effect_pending.streaming",
    });
  });

  test("[B3] a defect of one lane's provider, where it costs the harness", () => {
    const defect = walkFaultingSession(...a.streaming, ...b.streaming, "a: stream.defect");

    expect(defect.places).toEqual({ a: "faulted", b: "faulted" });
    expect(calls(defect.shown.b)).toEqual(["activate: fault"]);
  });

  test("[E1] a crash leaves each lane its durable state", () => {
    const reopened = walkSession(...a.listed, ...b.ready, "b: activate").and("crash", "reopen");

    expect(reopened.places).toEqual({ a: "suspended", b: "ready.parked" });
    expect(reopened.line).toEqual([]);
  });
});
