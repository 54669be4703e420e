/** What the store does to a process: landings, failures, and what a reopen finds. */
import { type DefectKind, defects, type StreamDefect } from "../../vocabulary.ts";
import {
  announced,
  type Context,
  event,
  fresh,
  head,
  isPoll,
  keep,
  type LineItem,
  landed,
  landingEffects,
  nextToLand,
  onLine,
  pullSignal,
  rejectOpenCalls,
} from "../rules/context.ts";
import { at, mayOverlap, reading, show, update, waitingFor, when } from "../rules/words.ts";

/** The guard of `land` has seen that there is one. */
const landing = (c: Context): LineItem => nextToLand(c) as LineItem;

/** A commit becomes durable. Possible in every state that has something on the line. */
export const land = {
  guard: when((c) => nextToLand(c) !== undefined),
  actions: [
    show((c) => landingEffects(c, landing(c))),
    update((c) => {
      const item = landing(c);
      return {
        durable: landed(c, item),
        line: c.line.map((other) => (other === item ? { ...item, landed: true } : other)),
        ...(item.commit === "frame" || item.commit === "cancel" ? {} : { due: false }),
        ...(item.commit === "settle" ? { end: null, hooked: false } : {}),
      };
    }),
  ],
};

/** A commit fails without landing, or lands and loses its reply; the store refuses all that stands behind it (A13). */
export const storageFails = (lost: boolean) => when((c) => head(c)?.landed === lost);
/** The harness faults: every open promise is rejected (K2). */
export const faults = {
  target: "#operation.faulted",
  actions: [
    show((c) => [...announced(c, "fault"), ...rejectOpenCalls(c, "fault"), ...pullSignal(c)]),
    update((c) => ({ ...fresh, parked: c.parked })),
  ],
};

/** Whether the stream under way can break its protocol in this way now, as far as the bounds go. */
function canShow(c: Context, kind: DefectKind): boolean {
  if (isPoll(c) && !c.bounds.defectsOfPolls.includes(kind)) return false;
  const amidOutsiders = c.cancel !== "none" || onLine(c, "finalize");
  if (amidOutsiders && !c.bounds.defectsAmidOutsiders.includes(kind)) return false;
  switch (defects[kind]) {
    case "before the start":
      return c.encoded === 0;
    case "after the start":
      return c.encoded > 0;
    case "at any time":
      return true;
  }
}

const defectCosts = (costs: StreamDefect["costs"]) =>
  when(
    waitingFor("stream"),
    mayOverlap,
    reading("stream.defect", (c, e) => e.costs === costs && c.bounds.defectsCost === costs && canShow(c, e.defect)),
  );

/**
 * What a defect of the provider costs. `response`: the stream has ended as one whose error is retried (Q6). `harness`: it
 * faults while earlier appends may still be at the store (B3).
 */
export const defect = [
  {
    target: "awaiting_writes",
    guard: defectCosts("response"),
    actions: update((c) => ({ parked: null, encoded: 0, end: c.cancel === "none" ? ("retryable" as const) : "stop" })),
  },
  {
    target: "#operation.faulted",
    guard: defectCosts("harness"),
    actions: [
      show((c) => [event("fault"), ...rejectOpenCalls(c, "fault"), { kind: "signal", optional: true }]),
      update(
        reading("stream.defect", (c, e) => ({ ...fresh, line: e.costs === "harness" ? keep(c, e.kept) : c.line })),
      ),
    ],
  },
];

/** Where a reopen leads: the scalar state alone decides (E1, N1). */
export const restore = [
  { target: "up.ready", guard: when(at("ready")) },
  { target: "up.suspended", guard: when(at("effect_pending")) },
  { target: "up.deferred.suspended", guard: when(at("deferred.suspended")) },
  { target: "up.deferred.unknown", guard: when(at("deferred.effect_pending")) },
  { target: "up.retry_wait", guard: when(at("retry_wait")) },
  { target: "up.tools", guard: when(at("tools")) },
  { target: "up.checkpoint", guard: when(at("checkpoint")) },
  { target: "up.settled", guard: when((c) => c.durable.outcome === "completed" || c.durable.outcome === "failed") },
  { target: "up.cancelled.done", guard: when((c) => c.durable.outcome === "aborted") },
  { target: "up.finalized", guard: when((c) => c.durable.outcome === "finalized") },
  { target: "up.idle" },
].map((branch) => ({
  ...branch,
  actions: update((c) => ({ ...fresh, cancel: c.durable.control === "cancelled" ? "replied" : "none" })),
}));
