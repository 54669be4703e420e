/**
 * The deferred chart alone: from a response that has just been deferred to each of the ways out. These stand at the paths
 * where the operation machine has the places they lead to, and are final here. The checker explores the composition.
 */
import { fresh, noOperation } from "../rules/context.ts";
import { operation, show } from "../rules/words.ts";
import { repliesAnywhere } from "../transitions/calls.ts";
import { land } from "../transitions/storage.ts";
import { deferred } from "./states.ts";

const wayOut = { type: "final" } as const;

/** The deferred chart as a machine: for its own tests and its own drawing. */
export const deferredMachine = operation.createMachine({
  id: "operation",
  context: ({ input }) => ({
    ...fresh,
    bounds: input.bounds,
    durable: { ...noOperation, at: "deferred.suspended" },
    due: false,
  }),
  initial: "up",
  on: { land, reply: repliesAnywhere, snapshot: { actions: show(() => []) } },
  states: {
    up: {
      initial: "deferred",
      states: {
        deferred,
        accepting: wayOut,
        effect_pending: wayOut,
        recovering: wayOut,
        tools: { initial: "driven", states: { driven: wayOut } },
        checkpoint: { initial: "finishing", states: { finishing: wayOut } },
        contested: wayOut,
        settled: wayOut,
        cancelled: { initial: "committing", states: { committing: wayOut } },
        finalized: wayOut,
      },
    },
    faulted: wayOut,
  },
});
