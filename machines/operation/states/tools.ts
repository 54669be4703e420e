/** A tool plan: each call is marked before it starts, and its result is durable before anything depends on it (Q1). */
import { push } from "../rules/context.ts";
import { at, attach, cancelled, cancelWaits, operation, reading, show, update, when } from "../rules/words.ts";
import { contest, joins, open } from "../transitions/calls.ts";
import {
  abortedResults,
  allDone,
  interruptedResults,
  marksNext,
  planReplies,
  refusedResults,
  refuses,
  returns,
  withoutUnknown,
} from "../transitions/tools.ts";

/** A tool plan is durable. */
export const tools = operation.createStateConfig({
  initial: "parked",
  on: open,
  states: {
    parked: {
      on: {
        activate: [
          contest,
          {
            target: "#operation.up.cancelled.committing",
            guard: when(cancelled),
            actions: [show(abortedResults), update((c) => ({ ...allDone(c), drive: true, line: push(c, "terminal") }))],
          },
          { target: "driven", guard: when(cancelWaits), actions: update(attach) },
          {
            target: "#operation.up.effect_pending",
            guard: when(refuses),
            actions: [show(refusedResults), update((c) => ({ ...allDone(c), drive: true, line: push(c, "intent") }))],
          },
          {
            target: "#operation.up.effect_pending",
            guard: when((c) => at("ready")(withoutUnknown(c))),
            actions: [
              show(interruptedResults),
              update((c) => ({ ...allDone(c), drive: true, line: push(c, "intent") })),
            ],
          },
          {
            target: "driven",
            actions: [
              show(interruptedResults),
              update((c) => {
                const known = withoutUnknown(c);
                return { ...marksNext(known), durable: known.durable, drive: true };
              }),
            ],
          },
        ],
      },
    },
    driven: {
      description: "Calls are marked, run side by side, and settle one by one.",
      on: {
        activate: joins,
        "tool.return": {
          guard: when(reading("tool.return", (c, { tool }) => c.running.includes(tool))),
          actions: update(reading("tool.return", (c, { tool }) => returns(c, tool))),
        },
        reply: planReplies,
      },
    },
  },
});
