/** The words of the chart: its setup, and the guards and updates that its transitions are made of. */
import { setup } from "xstate";
import type { Effect, OperationEvent } from "../vocabulary.ts";
import { type Bounds, type Context, fresh, head, headIs, keptDiffers, onLine, push } from "./context.ts";

export type OfType<T extends OperationEvent["type"]> = Extract<OperationEvent, { type: T }>;

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

export type Update = (c: Context, e: OperationEvent) => Partial<Context>;
export const update = (change: Update) => operation.assign(({ context, event: e }) => change(context, e));
export const show = (effects: (c: Context, e: OperationEvent) => readonly Effect[]) => ({
  type: "show" as const,
  params: ({ context, event: e }: { context: Context; event: OperationEvent }) => effects(context, e),
});
export const when =
  (...tests: ((c: Context, e: OperationEvent) => boolean)[]) =>
  ({ context, event: e }: { context: Context; event: OperationEvent }) =>
    tests.every((test) => test(context, e));
export const not =
  (test: (c: Context) => boolean) =>
  (c: Context): boolean =>
    !test(c);

export const replies =
  (commit: Parameters<typeof headIs>[1]) =>
  (c: Context): boolean =>
    headIs(c, commit) && head(c)?.landed === true;
export const at =
  (...places: Context["durable"]["at"][]) =>
  (c: Context): boolean =>
    places.includes(c.durable.at);
export const lineIsEmpty = (c: Context): boolean => c.line.length === 0;
export const restingLine = (c: Context): boolean => !c.line.some((item) => item.landed);
export const cancelled = (c: Context): boolean => c.cancel === "replied";
export const uncancelled = (c: Context): boolean => c.cancel === "none";
export const cancelWaits = (c: Context): boolean => c.cancel === "called";
export const waitingFor =
  (parked: Context["parked"]) =>
  (c: Context): boolean =>
    c.parked === parked;
export const finalizing = (c: Context): boolean => onLine(c, "finalize");
export const due = (c: Context): boolean => c.due;
export const framesPending = (c: Context): boolean => onLine(c, "frame");
/** Whether one more cancel or finalization may come, as far as the bounds go. */
export const roomOnLine = (c: Context): boolean =>
  c.line.filter((item) => item.commit === "cancel" || item.commit === "finalize").length < c.bounds.outsidersOnLine &&
  !(c.durable.at === "deferred.effect_pending" && c.durable.poll > c.bounds.pollsWithOutsiders);
export const mayOverlap = (c: Context, e: OperationEvent): boolean =>
  !("kept" in e) || e.kept === "overlapping" || keptDiffers(c);

export const shift: Update = (c) => ({ line: c.line.slice(1) });
export const enqueue =
  (commit: Parameters<typeof push>[1]): Update =>
  (c) => ({ line: push(c, commit) });
/** The head is replied and the drive hands the next transaction to the line. */
export const shiftAndEnqueue =
  (commit: Parameters<typeof push>[1]): Update =>
  (c) => ({ line: push({ ...c, line: c.line.slice(1) }, commit) });
export const attach: Update = () => ({ drive: true });
export const endOperation: Update = () => ({ ...fresh });
