/**
 * The lifecycle of one operation on one lane. States are what the process that holds the session is doing; the context
 * holds what is durable and what waits on the session line. Storage lands and replies by explicit events, so that every
 * order of landings, replies and the user's own calls is a path of this machine.
 */

import { deferred } from "./deferred/states.ts";
import { fresh, headIs, keep, noOperation, pullSignal, rejectOpenCalls, settles } from "./rules/context.ts";
import {
  at,
  due,
  lineIsEmpty,
  mayOverlap,
  not,
  operation,
  reading,
  restingLine,
  show,
  update,
  when,
} from "./rules/words.ts";
import { checkpoint, contested, ready, retryWait } from "./states/between.ts";
import { effectPending, recovering, suspended } from "./states/generation.ts";
import { accepting, cancelledLane, finalized, idle, settled } from "./states/idle.ts";
import { closed, crashed, faulted } from "./states/stopped.ts";
import { tools } from "./states/tools.ts";
import { repliesAnywhere, staleCancel } from "./transitions/calls.ts";
import { faults, land, storageFails } from "./transitions/storage.ts";

/** The lifecycle of one operation. Its input is the bounds. */
export const operationMachine = operation.createMachine({
  id: "operation",
  context: ({ input }) => ({ bounds: input.bounds, durable: noOperation, ...fresh, due: false }),
  initial: "up",
  on: { land },
  states: {
    up: {
      initial: "idle",
      on: {
        crash: { target: "crashed", actions: update(() => ({ ...fresh })) },
        close: {
          target: "closed",
          guard: when(mayOverlap),
          actions: [
            show((c) => [
              ...rejectOpenCalls(c, "closed"),
              ...pullSignal(c),
              ...(lineIsEmpty(c) ? [settles("close", "ok")] : []),
            ]),
            update(
              reading("close", (c, { kept }) => ({
                ...fresh,
                parked: c.parked,
                line: keep(c, kept),
                // A settlement that was handed over may still land: how its stream ended stays part of it.
                ...(headIs(c, "settle") ? { end: c.end, hooked: c.hooked } : {}),
              })),
            ),
          ],
        },
        fail: { ...faults, guard: storageFails(false) },
        lose_reply: { ...faults, guard: storageFails(true) },
        fault: faults,
        reply: repliesAnywhere,
        snapshot: { guard: when(restingLine), actions: show(() => []) },
        "cancel.stale": staleCancel,
        tick: {
          guard: when(at("retry_wait"), not(due)),
          actions: update(() => ({ due: true })),
        },
      },
      states: {
        idle,
        accepting,
        ready,
        effect_pending: effectPending,
        suspended,
        recovering,
        retry_wait: retryWait,
        tools,
        checkpoint,
        contested,
        deferred,
        settled,
        cancelled: cancelledLane,
        finalized,
      },
    },
    crashed,
    closed,
    faulted,
  },
});
