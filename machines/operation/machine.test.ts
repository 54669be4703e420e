/**
 * One operation from prompt to result, with retries, tools, cancel and recovery, walked through the
 * machine step by step.
 */
import { describe, expect, test } from "vitest";
import { can, drain, road, type Walk, walk } from "../testing/operation-walk.ts";
import type { Effect } from "../vocabulary.ts";

const events = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) => (effect.kind === "event" ? [effect.name] : []));
const calls = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) =>
    effect.kind === "call" && !effect.optional ? [`${effect.call}: ${effect.outcome}`] : [],
  );
const kinds = (effects: readonly Effect[]): string[] => effects.map(({ kind }) => kind);
const responses = ({ allShown }: Walk) =>
  allShown.flatMap((effect) => (effect.kind === "response" ? [effect.insert] : []));

const hooked = (): Walk => walk(...road.listed, "stream.end stop");
const retrying = (): Walk => walk(...road.listed, "stream.end retryable", "hook.release", "land", "reply");
const withTools = (): Walk => walk(...road.listed, "stream.end toolUse", "hook.release", "land", "reply");

describe("an undisturbed operation", () => {
  test("[J1] goes from prompt to result by intent, frames, hook, settlement and terminal transaction", () => {
    const streaming = walk(...road.streaming);
    expect(streaming.place).toBe("effect_pending.streaming");
    expect(kinds(streaming.shown)).toEqual(["request"]);

    const ended = streaming.and("stream.start", "listener.release", "land", "reply", "stream.end stop");
    expect(ended.place).toBe("effect_pending.after_response");

    const settling = ended.and("hook.release");
    expect(settling.line).toEqual(["settle"]);
    expect(events(settling.shown)).toEqual(["message_end"]);

    const finishing = settling.and("land", "reply");
    expect(finishing.place).toBe("checkpoint.finishing");
    expect(events(finishing.shown)).toEqual(["entry_added", "usage"]);

    const settled = finishing.and("land", "reply");
    expect(settled.place).toBe("settled");
    expect(settled.state.context.durable).toMatchObject({ at: "none", listed: 0, outcome: "completed" });
    expect(calls(settled.shown)).toEqual(["activate: completed"]);
    expect(responses(settled)).toEqual([{ origin: "live", stop: "stop", hooked: true }]);
  });

  test("[C1] puts the frame on the line with the event, and takes no further event before its delivery", () => {
    const started = walk(...road.streaming, "stream.start");

    expect(started.line).toEqual(["frame"]);
    expect(events(started.shown)).toEqual(["message_start"]);
    expect(can(started, "stream.update")).toBe(false);
    expect(can(started.and("listener.release"), "stream.update")).toBe(true);
  });

  test("[C5] awaits the latest frame write before the hook starts", () => {
    const ended = walk(...road.started, "stream.end stop");
    expect(ended.place).toBe("effect_pending.awaiting_writes");

    const landed = ended.and("land");
    expect(landed.place).toBe("effect_pending.awaiting_writes");

    const replied = landed.and("reply");
    expect(replied.place).toBe("effect_pending.after_response");
    expect(kinds(replied.shown)).toEqual(["hook"]);
  });

  test("[C7] lands frames together, and every other commit alone", () => {
    const twoFrames = walk(...road.started, "stream.update", "land", "land");
    expect(twoFrames.state.context.line.map(({ landed }) => landed)).toEqual([true, true]);

    const frameAndCancel = walk(...road.started, "cancel", "land");
    expect(can(frameAndCancel, "land")).toBe(false);
  });

  test("[D5] an error before the start is terminal without a list", () => {
    const failed = drain(walk(...road.streaming, "stream.end terminal", "hook.release"));

    expect(failed.place).toBe("settled");
    expect(failed.state.context.durable.outcome).toBe("failed");
    expect(events(failed.allShown)).not.toContain("message_start");
  });

  test("[Q5] a stream that ends while a call is open is an interruption: it plans nothing and is tried again", () => {
    expect(can(walk(...road.listed), "stream.end openCall")).toBe(false);
    const cutOff = walk(...road.listed, "stream.update", "listener.release", "land", "reply", "stream.end openCall");
    const settled = cutOff.and("hook.release", "land");
    expect(responses(settled)).toEqual([{ origin: "live", stop: "error", hooked: true }]);
    expect(settled.state.context.durable).toMatchObject({ at: "retry_wait", attempt: 2, plan: null });
  });

  test("[E7] retries up to the cap and then fails in the settlement itself", () => {
    const waiting = retrying();
    expect(waiting.place).toBe("retry_wait.waiting");
    expect(waiting.state.context.durable).toMatchObject({ at: "retry_wait", attempt: 2 });

    const last = waiting.and("tick", "land", "reply", "stream.end retryable", "hook.release", "land");
    expect(last.state.context.durable).toMatchObject({ at: "none", outcome: "failed" });

    const failed = last.and("reply");
    expect(failed.place).toBe("settled");
    expect(calls(failed.shown)).toEqual(["activate: failed"]);
  });

  test("[O4] an early activation that does not wait learns that the retry is not due", () => {
    const restored = retrying().and("crash", "reopen");
    expect(restored.place).toBe("retry_wait.parked");

    expect(calls(restored.and("activate.nowait").shown)).toEqual(["activate: waiting"]);
    expect(restored.and("activate").place).toBe("retry_wait.waiting");
    expect(restored.and("tick", "activate").line).toEqual(["intent"]);
  });

  test("[O1] a busy lane refuses a second prompt, an idle one every other call", () => {
    expect(calls(walk(...road.ready, "accept").shown)).toEqual(["accept: refused"]);
    for (const call of ["activate", "cancel", "finalize"]) {
      expect(calls(walk(call).shown)).toEqual([`${call}: refused`]);
    }
  });

  test("[O3] a second activation changes nothing", () => {
    const once = walk(...road.streaming);

    const twice = once.and("activate");

    expect(twice.state.context).toEqual(once.state.context);
    expect(twice.place).toBe(once.place);
    expect(twice.shown).toEqual([]);
  });
});

describe("cancellation", () => {
  const drained = (from: Walk): Walk => drain(from.and("cancel"));

  test.each([
    ["ready, not yet activated", () => drain(drained(walk(...road.ready)).and("activate"))],
    ["ready, activated while the cancel waits", () => drain(walk(...road.ready, "cancel", "activate"))],
    ["requesting", () => drained(walk(...road.requesting))],
    ["streaming", () => drain(drained(walk(...road.listed)).and("stream.end aborted"))],
    ["streaming, the frame unreplied", () => drain(drained(walk(...road.started)).and("stream.end aborted"))],
    ["awaiting writes", () => drained(walk(...road.started, "stream.end stop"))],
    ["after_response", () => drain(drained(hooked()).and("hook.release"))],
    ["settling", () => drained(hooked().and("hook.release"))],
    ["retry wait", () => drained(retrying())],
    ["retry wait, restored", () => drain(drained(retrying().and("crash", "reopen")).and("activate"))],
    ["tools", () => drained(withTools())],
    ["tools, restored", () => drain(drained(withTools().and("crash", "reopen")).and("activate"))],
    ["suspended", () => drain(drained(walk(...road.listed, "crash", "reopen")).and("activate"))],
    ["recovering", () => drained(walk(...road.listed, "crash", "reopen", "activate"))],
    ["checkpoint", () => drained(hooked().and("hook.release", "land", "reply"))],
  ])("[F4] in %s ends where no operation is open", (phase, cancelledIn) => {
    const { place, state, allShown } = cancelledIn();

    // The terminal transaction was enqueued ahead of the cancel in the last phase: there it stands (X1).
    const late = phase === "checkpoint";
    expect(place).toBe(late ? "settled" : "cancelled.done");
    expect(state.context.durable.outcome).toBe(late ? "completed" : "aborted");
    expect(calls(allShown)).toContain(late ? "cancel: refused" : "cancel: ok");
  });

  test("[F1] starts no request while the intent is queued, and recovers under the reserved id", () => {
    const withheld = walk(...road.requesting, "cancel", "land", "reply");
    expect(withheld.place).toBe("effect_pending.withheld");

    const recovering = withheld.and("land", "reply");
    expect(recovering.line).toEqual(["recover"]);
    expect(kinds(recovering.allShown)).not.toContain("request");

    const recovered = recovering.and("land");
    expect(responses(recovered)).toEqual([{ origin: "synthetic", stop: "aborted", hooked: false }]);
  });

  test("[F1] pulls the signal on its reply, not before", () => {
    const called = walk(...road.listed, "cancel", "land");
    expect(kinds(called.allShown)).not.toContain("signal");

    expect(kinds(called.and("reply").shown)).toContain("signal");
  });

  test("[F2] before the hook skips it; during the hook it finishes and is used", () => {
    const skipped = walk(...road.listed, "cancel", "land", "reply", "stream.end aborted", "land");
    expect(responses(skipped)).toEqual([{ origin: "live", stop: "aborted", hooked: false }]);
    expect(kinds(skipped.allShown)).not.toContain("hook");

    const used = hooked().and("cancel", "hook.release", "land", "reply", "land");
    expect(responses(used)).toEqual([{ origin: "live", stop: "aborted", hooked: true }]);
  });

  test("[F4] a response that settled before stands, and the operation still ends aborted", () => {
    const ended = drain(hooked().and("hook.release", "cancel"));

    expect(responses(ended)).toEqual([{ origin: "live", stop: "stop", hooked: true }]);
    expect(ended.state.context.durable.outcome).toBe("aborted");
  });

  test("[F1] repeated after its reply changes nothing", () => {
    const once = walk(...road.listed, "cancel", "land", "reply");

    const again = once.and("cancel");

    expect(calls(again.shown)).toEqual(["cancel: ok"]);
    expect(again.state.context).toEqual(once.state.context);
  });

  test.each([
    ["idle", walk()],
    ["requesting", walk(...road.requesting)],
    ["streaming", walk(...road.listed)],
    ["after_response", hooked()],
    ["tools", withTools()],
    ["retry wait", retrying()],
    ["ended", drain(hooked().and("hook.release"))],
  ])("[Q7] of another operation is refused in %s, and nothing else changes", (_phase, before) => {
    const refused = before.and("cancel.stale");

    expect(calls(refused.shown)).toEqual(["cancel: refused"]);
    expect([refused.place, refused.state.context]).toEqual([before.place, before.state.context]);
  });
});
