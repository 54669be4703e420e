/** The words of the chart: its setup, and the guards and updates that its transitions are made of. */
import { setup } from "xstate";
import { type Effect, type EventType, isOutsider, type OfType, type OperationEvent } from "../../vocabulary.ts";
import { type Bounds, type Context, fresh, head, headIs, keptDiffers, onLine, push } from "./context.ts";

/** The setup of the operation machine: types, and the one effect that shows. */
export const operation = setup({
  types: {
    context: {} as Context,
    events: {} as OperationEvent,
    input: {} as { bounds: Bounds },
  },
  actions: {
    /** Performs nothing: its parameter is what the transition makes visible outside. */
    show: (_, _effects: readonly Effect[]) => {},
  },
});

/** What a transition changes, whatever its event. */
export type Change = (c: Context) => Partial<Context>;
/** An effect of the chart that changes the context. */
export const update = (change: (c: Context, e: OperationEvent) => Partial<Context>) =>
  operation.assign(({ context, event: e }) => change(context, e));
/** An effect of the chart that makes something visible outside. */
export const show = (effects: (c: Context, e: OperationEvent) => readonly Effect[]) => ({
  type: "show" as const,
  params: ({ context, event: e }: { context: Context; event: OperationEvent }) => effects(context, e),
});
/** A guard: all of these tests hold. */
export const when =
  (...tests: ((c: Context, e: OperationEvent) => boolean)[]) =>
  ({ context, event: e }: { context: Context; event: OperationEvent }) =>
    tests.every((test) => test(context, e));
/** Read the event of a transition as one of its type: the chart has it under the key of that type. */
export const reading =
  <T extends EventType, R>(type: T, read: (c: Context, e: OfType<T>) => R) =>
  (c: Context, e: OperationEvent): R => {
    if (e.type !== type) throw new Error(`A transition of ${type} was given ${e.type}`);
    return read(c, e as OfType<T>);
  };
/** The opposite of a test. */
export const not =
  (test: (c: Context) => boolean) =>
  (c: Context): boolean =>
    !test(c);

/** Test: the head of the line is this commit, and it has landed. */
export const replies =
  (commit: Parameters<typeof headIs>[1]) =>
  (c: Context): boolean =>
    headIs(c, commit) && head(c)?.landed === true;
/** Test: the durable position is one of these. */
export const at =
  (...places: Context["durable"]["at"][]) =>
  (c: Context): boolean =>
    places.includes(c.durable.at);
/** Test: nothing is on the line. */
export const lineIsEmpty = (c: Context): boolean => c.line.length === 0;
/** Test: nothing on the line has landed and waits for its reply. */
export const restingLine = (c: Context): boolean => !c.line.some((item) => item.landed);
/** Test: the cancel is known to have landed. */
export const cancelled = (c: Context): boolean => c.cancel === "replied";
/** Test: no cancel was called. */
export const uncancelled = (c: Context): boolean => c.cancel === "none";
/** Test: a cancel was called and is not replied yet. */
export const cancelWaits = (c: Context): boolean => c.cancel === "called";
/** Test: the drive waits for this. */
export const waitingFor =
  (parked: Context["parked"]) =>
  (c: Context): boolean =>
    c.parked === parked;
/** Test: a finalization is on the line. */
export const finalizing = (c: Context): boolean => onLine(c, "finalize");
/** Test: the retry time has come. */
export const due = (c: Context): boolean => c.due;
/** Test: a frame append is on the line. */
export const framesPending = (c: Context): boolean => onLine(c, "frame");
/** Whether one more cancel or finalization may come, as far as the bounds go. */
export const roomOnLine = (c: Context): boolean =>
  c.line.filter((item) => isOutsider(item.commit)).length < c.bounds.outsidersOnLine &&
  !(c.durable.at === "deferred.effect_pending" && c.durable.poll > c.bounds.pollsWithOutsiders);
/** Test: the case of the event exists here. The case `head` does where it differs from `overlapping`. */
export const mayOverlap = (c: Context, e: OperationEvent): boolean =>
  !("kept" in e) || e.kept === "overlapping" || keptDiffers(c);

/** The head of the line is replied. */
export const shift: Change = (c) => ({ line: c.line.slice(1) });
/** The drive hands a commit to the line. */
export const enqueue =
  (commit: Parameters<typeof push>[1]): Change =>
  (c) => ({ line: push(c, commit) });
/** The head is replied and the drive hands the next transaction to the line. */
export const shiftAndEnqueue =
  (commit: Parameters<typeof push>[1]): Change =>
  (c) => ({ line: push({ ...c, line: c.line.slice(1) }, commit) });
/** A drive is attached to the open operation. */
export const attach: Change = () => ({ drive: true });
/** The process has nothing more under way. */
export const endOperation: Change = () => ({ ...fresh });
