/** The machine of a response that the provider gives later: when it is suspended, polled, lost and delivered. */
import { describe, expect, test } from "vitest";
import { initialTransition, transition } from "xstate";
import { operationEvents } from "../../alphabet.ts";
import { can, drain, road, type Walk, walk } from "../../testing/operation-walk.ts";
import type { Effect } from "../../vocabulary.ts";
import { boundsFor } from "../bounds.ts";
import { pathOf } from "../projection.ts";
import type { Durable } from "../rules/context.ts";
import { deferredMachine } from "./machine.ts";

const calls = (effects: readonly Effect[]): string[] =>
  effects.flatMap((effect) => (effect.kind === "call" ? [`${effect.call}: ${effect.outcome}`] : []));
const kinds = (effects: readonly Effect[]): string[] => effects.map(({ kind }) => kind);
const responses = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === "response" ? [effect.insert] : []));
const durable = ({ state }: Walk): Durable => state.context.durable;

/** A fresh response has been deferred. */
const suspended = (): Walk => drain(walk(...road.listed, "stream.end deferred", "hook.release"));
/** A poll streams, one frame of it is durable. */
const polling = (): Walk =>
  suspended().and("permit", "land", "reply", "stream.start", "listener.release", "land", "reply");
/** That poll's process is gone. */
const unknown = (): Walk => polling().and("crash", "reopen");
const ends = (end: string): Walk => drain(polling().and(`stream.end ${end}`, "hook.release"));

describe("a deferred response", () => {
  test("[D5] suspends the operation at poll 0 and tells the activation so", () => {
    const settled = suspended();

    expect(settled.place).toBe("deferred.suspended");
    expect(durable(settled)).toMatchObject({ at: "deferred.suspended", poll: 0, listed: 0 });
    expect(calls(settled.shown)).toEqual(["activate: suspended"]);
  });

  test("[D5] with the handle of another model fails in its own settlement", () => {
    const settled = drain(walk(...road.started, "stream.end mismatched", "land", "reply", "hook.release"));

    expect(durable(settled)).toMatchObject({ at: "none", outcome: "failed" });
    expect(responses(settled.allShown)).toEqual([{ origin: "live", stop: "error", hooked: true }]);
  });

  test("[G2] is polled with a permit only", () => {
    const without = suspended().and("activate");
    expect(without.place).toBe("deferred.suspended");
    expect(calls(without.shown)).toEqual(["activate: suspended"]);
    expect(without.line).toEqual([]);

    const asked = suspended().and("permit", "land");
    expect(kinds(asked.allShown)).not.toContain("poll");
    expect(kinds(asked.and("reply").shown)).toEqual(["poll"]);
  });
});

describe("a poll", () => {
  test("[G3] from a suspended response takes the next number, and has a list of its own", () => {
    expect(durable(polling())).toMatchObject({ at: "deferred.effect_pending", poll: 1, listed: 1 });
  });

  test.each([
    ["pending", "deferred", { at: "deferred.suspended", poll: 1, listed: 0 }],
    ["ready", "stop", { at: "none", outcome: "completed" }],
    ["a retryable error, which is terminal for a poll", "retryable", { at: "none", outcome: "failed" }],
    ["a handle of another model", "mismatched", { at: "none", outcome: "failed" }],
  ])("[G1][D5] that answers %s settles", (_, end, expected) => {
    expect(durable(ends(end))).toMatchObject(expected);
  });

  test("[G2] of unknown outcome stays as it is without a permit", () => {
    const restored = unknown();
    expect(restored.place).toBe("deferred.unknown");

    const activated = restored.and("activate");
    expect(activated.place).toBe("deferred.unknown");
    expect(durable(activated)).toEqual(durable(restored));
    expect(calls(activated.shown)).toEqual(["activate: suspended"]);
  });

  test("[G3] of unknown outcome is replaced with a permit: the same number, and the list gone with the intent", () => {
    const replacing = unknown().and("permit");
    expect(replacing.place).toBe("deferred.polling.replacing");
    expect(durable(replacing)).toMatchObject({ poll: 1, listed: 1 });

    const replaced = replacing.and("land");
    expect(durable(replaced)).toMatchObject({ at: "deferred.effect_pending", poll: 1, listed: 0 });
    expect(kinds(replaced.shown)).not.toContain("poll");
    expect(kinds(replaced.and("reply").shown)).toEqual(["poll"]);
  });

  test("[G3] of unknown outcome is still unknown after a crash of its replacement, without the list", () => {
    const again = unknown().and("permit", "land", "crash", "reopen");

    expect(again.place).toBe("deferred.unknown");
    expect(durable(again)).toMatchObject({ poll: 1, listed: 0 });
  });
});

describe("a cancel of a deferred operation", () => {
  test("[F4][G4] while suspended ends it without a response, and tells the provider", () => {
    const before = suspended().and("cancel", "land", "reply");

    const activated = before.and("activate");
    expect(kinds(activated.shown)).toEqual(["remote_cancel"]);
    expect(activated.line).toEqual(["terminal"]);

    const ended = drain(activated);
    expect(durable(ended).outcome).toBe("aborted");
    expect(responses(ended.allShown)).toHaveLength(1);
  });

  test.each([
    ["before the activation", () => unknown().and("cancel", "land", "reply", "activate")],
    ["with the activation behind it", () => unknown().and("cancel", "activate", "land", "reply")],
    ["restored as cancelled", () => polling().and("cancel", "land", "crash", "reopen", "permit")],
  ])("[F3][G4] of an unknown poll, called %s, settles it as aborted with its partial", (_, cancelled) => {
    const recovering = cancelled();
    expect(recovering.line).toEqual(["recover"]);
    expect(recovering.allShown.filter(({ kind }) => kind === "remote_cancel")).toHaveLength(1);

    const ended = drain(recovering);
    expect(responses(ended.allShown).at(-1)).toEqual({ origin: "synthetic", stop: "aborted", hooked: false });
    expect(durable(ended).outcome).toBe("aborted");
  });

  test("[C7][G4] tells the provider nothing before its own reply", () => {
    const waiting = suspended().and("cancel", "activate", "land");
    expect(waiting.place).toBe("deferred.reconciling");
    expect(kinds(waiting.allShown)).not.toContain("remote_cancel");

    expect(kinds(waiting.and("reply").shown)).toContain("remote_cancel");
  });

  test("[F1] while the intent of a poll is queued makes no request", () => {
    const ended = drain(suspended().and("permit", "cancel"));

    expect(kinds(ended.allShown)).not.toContain("poll");
    expect(responses(ended.allShown).at(-1)).toMatchObject({ origin: "synthetic", stop: "aborted" });
  });
});

test("[K3] a finalization behind the settlement of a deferred response ends the operation", () => {
  const contested = walk(...road.listed, "stream.end deferred", "hook.release", "finalize", "land", "reply");
  expect(contested.place).toBe("deferred.contested");

  const ended = drain(contested);
  expect(ended.place).toBe("finalized");
  expect(durable(ended).outcome).toBe("finalized");
});

describe("the chart alone", () => {
  const bounds = { ...boundsFor("small", "harness"), polls: 2 };

  /** Every path of the machine, and what leads out of the chart. */
  function explored(): { readonly inside: ReadonlySet<string>; readonly out: ReadonlySet<string> } {
    const [initial] = initialTransition(deferredMachine, { bounds });
    const seen = new Map([[JSON.stringify([initial.value, initial.context]), initial]]);
    for (const state of seen.values()) {
      if (state.status === "done") continue;
      for (const event of operationEvents) {
        if (!state.can(event)) continue;
        const [next] = transition(deferredMachine, state, event);
        const key = JSON.stringify([next.value, next.context]);
        if (!seen.has(key)) seen.set(key, next);
      }
    }
    const paths = [...seen.values()].map(({ value }) => pathOf(value));
    return {
      inside: new Set(paths.filter((path) => path.startsWith("up.deferred."))),
      out: new Set(paths.filter((path) => !path.startsWith("up.deferred."))),
    };
  }

  test("is left only by a settlement, a cancel, a finalization or a fault", () => {
    expect([...explored().out].sort()).toEqual([
      "faulted",
      "up.cancelled.committing",
      "up.checkpoint.finishing",
      "up.contested",
      "up.finalized",
      "up.recovering",
      "up.settled",
    ]);
  });

  test("reaches every place of its own but the one that only a reopen leads to", () => {
    const { inside } = explored();

    expect(inside).toContain("up.deferred.polling.streaming");
    expect(inside).not.toContain("up.deferred.unknown");
    expect(can(suspended(), "permit")).toBe(true);
  });
});
