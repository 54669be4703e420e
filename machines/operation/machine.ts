/**
 * The lifecycle of one operation on one lane. States are what the process that holds the session is doing; the context
 * holds what is durable and what waits on the session line. Storage lands and replies by explicit events, so that every
 * order of landings, replies and the user's own calls is a path of this machine.
 */
import { setup } from "xstate";
import { type Effect, lengthenedTo, type OperationEvent } from "../vocabulary.ts";
import {
  announced,
  type Bounds,
  type Context,
  event,
  fresh,
  head,
  headIs,
  keep,
  keptDiffers,
  landed,
  landingEffects,
  mayAnnounce,
  maySettle,
  nextToLand,
  noOperation,
  onLine,
  operationEnds,
  outsiderMayLearn,
  pullSignal,
  push,
  rejectOpenCalls,
  settles,
} from "./context.ts";

type OfType<T extends OperationEvent["type"]> = Extract<OperationEvent, { type: T }>;

const operation = setup({
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

// --- small words for the chart below -------------------------------------------------------------------------------

type Update = (c: Context, e: OperationEvent) => Partial<Context>;
const update = (change: Update) => operation.assign(({ context, event: e }) => change(context, e));
const show = (effects: (c: Context, e: OperationEvent) => readonly Effect[]) => ({
  type: "show" as const,
  params: ({ context, event: e }: { context: Context; event: OperationEvent }) => effects(context, e),
});
const when =
  (...tests: ((c: Context, e: OperationEvent) => boolean)[]) =>
  ({ context, event: e }: { context: Context; event: OperationEvent }) =>
    tests.every((test) => test(context, e));
const not =
  (test: (c: Context) => boolean) =>
  (c: Context): boolean =>
    !test(c);

const replies =
  (commit: Parameters<typeof headIs>[1]) =>
  (c: Context): boolean =>
    headIs(c, commit) && head(c)?.landed === true;
const at =
  (...places: Context["durable"]["at"][]) =>
  (c: Context): boolean =>
    places.includes(c.durable.at);
const lineIsEmpty = (c: Context): boolean => c.line.length === 0;
const restingLine = (c: Context): boolean => !c.line.some((item) => item.landed);
const cancelled = (c: Context): boolean => c.cancel === "replied";
const uncancelled = (c: Context): boolean => c.cancel === "none";
const cancelWaits = (c: Context): boolean => c.cancel === "called";
const waitingFor =
  (parked: Context["parked"]) =>
  (c: Context): boolean =>
    c.parked === parked;
const finalizing = (c: Context): boolean => onLine(c, "finalize");
const due = (c: Context): boolean => c.due;
const framesPending = (c: Context): boolean => onLine(c, "frame");
const roomOnLine = (c: Context): boolean =>
  c.line.filter((item) => item.commit === "cancel" || item.commit === "finalize").length < c.bounds.outsidersOnLine;
const mayOverlap = (c: Context, e: OperationEvent): boolean =>
  !("kept" in e) || e.kept === "overlapping" || keptDiffers(c);

const shift: Update = (c) => ({ line: c.line.slice(1) });
const enqueue =
  (commit: Parameters<typeof push>[1]): Update =>
  (c) => ({ line: push(c, commit) });
/** The head is replied and the drive hands the next transaction to the line. */
const shiftAndEnqueue =
  (commit: Parameters<typeof push>[1]): Update =>
  (c) => ({ line: push({ ...c, line: c.line.slice(1) }, commit) });
const attach: Update = () => ({ drive: true });
const endOperation: Update = () => ({ ...fresh });

// --- the chart -------------------------------------------------------------------------------------------------------

const land = {
  guard: when((c) => nextToLand(c) !== undefined),
  actions: [
    show((c) => landingEffects(c, nextToLand(c)!.commit)),
    update((c) => {
      const item = nextToLand(c)!;
      return {
        durable: landed(c, item.commit),
        line: c.line.map((other) => (other === item ? { ...item, landed: true } : other)),
        ...(item.commit === "frame" || item.commit === "cancel" ? {} : { due: false }),
        ...(item.commit === "settle" ? { end: null, hooked: false } : {}),
      };
    }),
  ],
};

/** A commit fails without landing, or lands and loses its reply; the store refuses all that stands behind it (A13). */
const storageFails = (lost: boolean) => when((c) => head(c) !== undefined && head(c)!.landed === lost);
const faults = {
  target: "#operation.faulted",
  actions: [
    show((c) => [...announced(c, "fault"), ...rejectOpenCalls(c, "fault"), ...pullSignal(c)]),
    update((c) => ({ ...fresh, parked: c.parked })),
  ],
};

/** A defect of the provider faults the harness while earlier appends may still be at the store (B3). */
const defect = {
  target: "#operation.faulted",
  guard: when(waitingFor("stream"), mayOverlap, (c, e) => {
    const { defect: kind } = e as OfType<"stream.defect">;
    if (kind === "update_before_start" || kind === "done_before_start") return c.encoded === 0;
    if (kind === "second_start" || kind === "event_after_end") return c.encoded > 0;
    return true;
  }),
  actions: [
    show((c) => [event("fault"), ...rejectOpenCalls(c, "fault"), { kind: "signal", optional: true }]),
    update((c, e) => ({ ...fresh, line: keep(c, (e as OfType<"stream.defect">).kept) })),
  ],
};

const restore = [
  { target: "up.ready", guard: when(at("ready")) },
  { target: "up.suspended", guard: when(at("effect_pending")) },
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

/** An outside party ends the operation on the storage while no process holds the session (K3). */
const finalizeOffline = {
  guard: when(not(at("none")), lineIsEmpty),
  actions: [show(() => [settles("finalize", "ok")]), update((c) => ({ durable: landed(c, "finalize"), due: false }))],
};

/**
 * Somebody else has shortened, removed or lengthened the frame list while no process was up: what restarts must not
 * change, only what the recovered response contains (N1, E2).
 */
const otherFrames = (listed: (c: Context) => number) => ({
  guard: when(at("effect_pending"), (c) => c.durable.listed > 0 && c.durable.listed !== listed(c)),
  actions: update((c) => ({ durable: { ...c.durable, listed: listed(c) } })),
});
const frameTampering = {
  "frames.cut": otherFrames((c) => (c.durable.listed === lengthenedTo ? lengthenedTo : c.durable.listed - 1)),
  "frames.remove": otherFrames(() => 0),
  "frames.lengthen": otherFrames(() => lengthenedTo),
};

/** Calls on a lane without an open operation are refused. */
const refusals = {
  activate: { actions: show(() => [settles("activate", "refused")]) },
  cancel: { actions: show(() => [settles("cancel", "refused")]) },
  finalize: { actions: show(() => [settles("finalize", "refused")]) },
};

const acceptAgain = {
  target: "#operation.up.accepting",
  actions: update((c) => ({ ...fresh, line: push(c, "accept") })),
};

/** What the stopped drive left waiting is answered after all, and comes to nothing. */
const late = { guard: when((c) => c.parked !== null), actions: update(() => ({ parked: null })) };
/** A released listener lets the announcement through that stood behind it. */
const lateWith = (name: "fault" | "operation_end") => ({
  ...late,
  actions: [show((c) => (c.parked === "listener" ? [event(name)] : [])), update(() => ({ parked: null }))],
});

/** A second activation joins the drive or is refused; nothing else changes (O3, X7). */
const joins = { guard: when((c) => c.drive), actions: show(() => []) };

const cancelCall = {
  guard: when(uncancelled, roomOnLine),
  // Cancellation wins classification, so how the stream ended no longer matters: one state instead of five (D5).
  actions: update((c) => ({
    line: push(c, "cancel"),
    cancel: "called",
    end: c.end !== null && !onLine(c, "settle") ? "stop" : c.end,
  })),
};
const cancelAgain = {
  guard: when(cancelled, lineIsEmpty),
  actions: show(() => [settles("cancel", "ok")]),
};
/** A listener that has not returned may hold back the promise of a cancel, but never its signal (F1). */
const cancelSettles = (c: Context): Effect => (c.parked === "listener" ? maySettle : settles)("cancel", "ok");
const cancelReply = {
  guard: when(replies("cancel")),
  actions: [
    show((c) => [
      cancelSettles(c),
      ...pullSignal(c),
      // The stream has ended meanwhile: its end may be announced only now that the cancel is known to have landed.
      ...(onLine(c, "settle") ? [mayAnnounce("message_end")] : []),
    ]),
    update((c) => ({ ...shift(c, { type: "reply" }), cancel: "replied" })),
  ],
};
const finalizeCall = { guard: when(roomOnLine), actions: update(enqueue("finalize")) };
const finalizeReply = {
  target: "#operation.up.finalized",
  guard: when(replies("finalize")),
  actions: [
    show((c) => [...operationEnds(c, "finalized"), settles("finalize", "ok"), ...pullSignal(c)]),
    update((c) => ({ ...fresh, parked: c.parked, due: false })),
  ],
};

/** What every place with an open operation allows. */
const open = {
  cancel: [cancelCall, cancelAgain],
  finalize: finalizeCall,
  accept: { guard: when(lineIsEmpty), actions: show(() => [settles("accept", "refused")]) },
};

/** An activation that is called while a finalization is on the line comes too late, whatever it starts (K3). */
const contest = { target: "#operation.up.contested", guard: when(finalizing), actions: update(attach) };

/** On the reply of a cancel, a drive that has nothing to await ends the operation. */
const reconcile = {
  target: "#operation.up.cancelled.committing",
  guard: when(replies("cancel")),
  actions: [
    show(() => [settles("cancel", "ok")]),
    update((c) => ({ ...shiftAndEnqueue("terminal")(c, { type: "reply" }), cancel: "replied" })),
  ],
};
const abortedResults: Effect = { kind: "tool_results", aborted: true };
const resultsAborted = (c: Context): Partial<Context> => ({ durable: { ...c.durable, at: "checkpoint" } });
const reconcileTools = {
  ...reconcile,
  actions: [
    show(() => [settles("cancel", "ok"), abortedResults]),
    update((c) => ({
      ...resultsAborted(c),
      ...shiftAndEnqueue("terminal")(c, { type: "reply" }),
      cancel: "replied",
    })),
  ],
};

/** The synthetic message_start and message_end of a recovery may come before or after its commit (I4 orders them). */
const settlementEvents = (recovery: boolean): readonly Effect[] =>
  recovery
    ? [{ kind: "event", name: "entry_added", recovery: true }, event("usage")]
    : [event("entry_added"), event("usage")];

/** Where the drive goes when its settlement or recovery is replied: D5 and E7, read from what has become durable. */
const settlementReply = (commit: "settle" | "recover") => {
  const replied = when(replies(commit));
  const and = (...tests: ((c: Context) => boolean)[]) => when(replies(commit), ...tests);
  const shown = show(() => settlementEvents(commit === "recover"));
  return [
    {
      target: "#operation.up.settled",
      guard: and(at("none")),
      actions: [
        show((c) => [...settlementEvents(commit === "recover"), ...operationEnds(c, "failed")]),
        update(endOperation),
      ],
    },
    {
      target: "#operation.up.cancelled.committing",
      guard: and(at("checkpoint"), (c) => c.durable.control === "cancelled"),
      actions: [shown, update(shiftAndEnqueue("terminal"))],
    },
    {
      target: "#operation.up.checkpoint.finishing",
      guard: and(at("checkpoint")),
      actions: [shown, update(shiftAndEnqueue("terminal"))],
    },
    {
      target: "#operation.up.effect_pending",
      guard: and(at("retry_wait"), due, uncancelled),
      actions: [shown, update(shiftAndEnqueue("intent"))],
    },
    { target: "#operation.up.retry_wait.waiting", guard: and(at("retry_wait")), actions: [shown, update(shift)] },
    {
      target: "#operation.up.contested",
      guard: and(at("tools"), finalizing),
      actions: [
        show(() => [...settlementEvents(false), { kind: "tools", optional: true }]),
        update((c) => ({ ...shift(c, { type: "reply" }), parked: null })),
      ],
    },
    {
      target: "#operation.up.tools.running",
      guard: and(at("tools"), uncancelled),
      actions: [
        show(() => [...settlementEvents(false), { kind: "tools" }]),
        update((c) => ({ ...shift(c, { type: "reply" }), parked: "tools" })),
      ],
    },
    { target: "#operation.up.tools.withheld", guard: replied, actions: [shown, update(shift)] },
  ];
};

const terminalReply = [
  {
    target: "#operation.up.cancelled.done",
    guard: when(replies("terminal"), (c) => c.durable.outcome === "aborted"),
    actions: [show((c) => operationEnds(c, "aborted")), update((c) => ({ ...fresh, parked: c.parked }))],
  },
  {
    target: "#operation.up.settled",
    guard: when(replies("terminal")),
    actions: [show((c) => operationEnds(c, "completed")), update(endOperation)],
  },
];

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
            update((c, e) => ({
              ...fresh,
              parked: c.parked,
              line: keep(c, (e as OfType<"close">).kept),
              // A settlement that was handed over may still land: how its stream ended stays part of it.
              ...(headIs(c, "settle") ? { end: c.end, hooked: c.hooked } : {}),
            })),
          ],
        },
        fail: { ...faults, guard: storageFails(false) },
        lose_reply: { ...faults, guard: storageFails(true) },
        reply: [{ guard: when(replies("frame")), actions: update(shift) }, cancelReply, finalizeReply],
        snapshot: { guard: when(restingLine), actions: show(() => []) },
        tick: {
          guard: when(at("retry_wait"), not(due)),
          actions: update(() => ({ due: true })),
        },
      },
      states: {
        idle: {
          description: "No operation was ever accepted on the lane.",
          on: { ...refusals, accept: acceptAgain },
        },
        accepting: {
          on: {
            reply: {
              target: "ready",
              guard: when(replies("accept")),
              actions: [show(() => [settles("accept", "ok")]), update(shift)],
            },
          },
        },
        ready: {
          description: "Accepted; no request of it is under way.",
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
                    actions: update((c) => ({ drive: true, line: push(c, "terminal") })),
                  },
                  { target: "driven", guard: when(cancelWaits), actions: update(attach) },
                  {
                    target: "#operation.up.effect_pending",
                    actions: update((c) => ({ drive: true, line: push(c, "intent") })),
                  },
                ],
              },
            },
            driven: { on: { activate: joins, reply: reconcile } },
          },
        },
        effect_pending: {
          initial: "requesting",
          on: { ...open, activate: joins },
          states: {
            requesting: {
              description: "The intent is on the line; no request was made yet.",
              on: {
                reply: [
                  {
                    target: "streaming",
                    guard: when(replies("intent"), not(cancelWaits)),
                    actions: [
                      show(() => [{ kind: "request" }]),
                      update((c) => ({ ...shift(c, { type: "reply" }), parked: "stream" })),
                    ],
                  },
                  { target: "withheld", guard: when(replies("intent")), actions: update(shift) },
                ],
              },
            },
            withheld: {
              description: "A cancel was called while the intent was queued: no request is made (F4).",
              on: {
                reply: {
                  target: "#operation.up.recovering",
                  guard: when(replies("cancel")),
                  actions: [
                    show(() => [settles("cancel", "ok")]),
                    update((c) => ({ ...shiftAndEnqueue("recover")(c, { type: "reply" }), cancel: "replied" })),
                  ],
                },
              },
            },
            streaming: {
              description: "The provider loop: one event, at most one frame, one awaited delivery at a time (C1).",
              on: {
                "stream.start": {
                  guard: when(waitingFor("stream"), (c) => c.encoded === 0),
                  actions: [
                    show(() => [event("message_start")]),
                    update((c) => ({ line: push(c, "frame"), encoded: 1, parked: "listener" })),
                  ],
                },
                "stream.update": {
                  guard: when(waitingFor("stream"), (c) => c.encoded > 0 && c.encoded < c.bounds.frames),
                  actions: [
                    show(() => [event("message_update")]),
                    update((c) => ({ line: push(c, "frame"), encoded: c.encoded + 1, parked: "listener" })),
                  ],
                },
                "stream.covered": {
                  guard: when(waitingFor("stream"), (c) => c.encoded > 1),
                  actions: [show(() => [event("message_update")]), update(() => ({ parked: "listener" }))],
                },
                "stream.end": {
                  target: "awaiting_writes",
                  guard: when(waitingFor("stream"), (c, e) => mayEnd(c, e as OfType<"stream.end">)),
                  actions: update((c, e) => ({
                    parked: null,
                    encoded: 0,
                    end: c.cancel === "none" ? (e as OfType<"stream.end">).end : "stop",
                  })),
                },
                "stream.defect": defect,
                "listener.release": {
                  guard: when(waitingFor("listener")),
                  actions: [
                    show((c) => (cancelled(c) ? [maySettle("cancel", "ok")] : [])),
                    update(() => ({ parked: "stream" })),
                  ],
                },
              },
            },
            awaiting_writes: {
              description: "The stream has ended; its latest frame write has not been replied (C5).",
              always: [
                {
                  target: "after_response",
                  guard: when(not(framesPending), (c) => c.cancel === "none"),
                  actions: [show(() => [{ kind: "hook" }]), update(() => ({ parked: "hook" }))],
                },
                {
                  target: "settling",
                  guard: when(not(framesPending)),
                  actions: [
                    show((c) => [cancelWaits(c) ? mayAnnounce("message_end") : event("message_end")]),
                    update(enqueue("settle")),
                  ],
                },
              ],
            },
            after_response: {
              on: {
                "hook.release": {
                  target: "settling",
                  actions: [
                    show(() => [event("message_end")]),
                    update((c) => ({ line: push(c, "settle"), parked: null, hooked: true })),
                  ],
                },
              },
            },
            settling: { on: { reply: settlementReply("settle") } },
          },
        },
        suspended: {
          description: "Restored with an orphaned generation; nothing reads its frames until an activation (E1).",
          on: {
            ...open,
            activate: [
              contest,
              {
                target: "recovering",
                actions: update((c) => ({ drive: true, line: push(c, "recover") })),
              },
            ],
          },
        },
        recovering: {
          on: { ...open, activate: joins, reply: settlementReply("recover") },
        },
        retry_wait: {
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
                    actions: update((c) => ({ drive: true, line: push(c, "terminal") })),
                  },
                  {
                    target: "#operation.up.effect_pending",
                    guard: when(due, uncancelled),
                    actions: update((c) => ({ drive: true, line: push(c, "intent") })),
                  },
                  { target: "waiting", actions: update(attach) },
                ],
                "activate.nowait": {
                  guard: when(uncancelled, not(due), lineIsEmpty),
                  actions: show(() => [settles("activate", "waiting")]),
                },
              },
            },
            waiting: {
              on: {
                activate: joins,
                tick: {
                  target: "#operation.up.effect_pending",
                  guard: when(not(due), uncancelled),
                  actions: update((c) => ({ due: true, line: push(c, "intent") })),
                },
                reply: reconcile,
              },
            },
          },
        },
        tools: {
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
                    actions: [
                      show(() => [abortedResults]),
                      update((c) => ({ ...resultsAborted(c), drive: true, line: push(c, "terminal") })),
                    ],
                  },
                  { target: "withheld", guard: when(cancelWaits), actions: update(attach) },
                  {
                    target: "running",
                    actions: [show(() => [{ kind: "tools" }]), update(() => ({ drive: true, parked: "tools" }))],
                  },
                ],
              },
            },
            running: {
              description: "The application's tool runner works on the durable plan.",
              on: {
                activate: joins,
                "tools.return": {
                  target: "#operation.up.effect_pending",
                  guard: when(lineIsEmpty, uncancelled),
                  actions: [
                    show(() => [{ kind: "tool_results", aborted: false }]),
                    update((c) => ({
                      parked: null,
                      durable: { ...c.durable, at: "ready" },
                      line: push(c, "intent"),
                    })),
                  ],
                },
                reply: reconcileTools,
              },
            },
            withheld: {
              description: "A cancel was called before the runner started: it does not start (F1).",
              on: { activate: joins, reply: reconcileTools },
            },
          },
        },
        checkpoint: {
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
                    actions: update((c) => ({ drive: true, line: push(c, "terminal") })),
                  },
                  {
                    target: "finishing",
                    actions: update((c) => ({ drive: true, line: push(c, "terminal") })),
                  },
                ],
              },
            },
            finishing: { on: { activate: joins, reply: terminalReply } },
          },
        },
        contested: {
          description: "A finalization is on the line ahead of all that this activation could write.",
          on: {
            ...open,
            activate: joins,
            reply: {
              ...finalizeReply,
              actions: [
                show((c) => [
                  { kind: "event", name: "operation_end", optional: true },
                  { kind: "call", call: "activate", outcome: "finalized", or: ["refused"] },
                  ...(cancelWaits(c) ? [settles("cancel", "refused")] : []),
                  settles("finalize", "ok"),
                ]),
                update(() => ({ ...fresh, due: false })),
              ],
            },
          },
        },
        deferred: {
          description: "The place of deferred polls (section G); no transition leads here yet.",
        },
        settled: { on: { ...refusals, accept: acceptAgain } },
        cancelled: {
          initial: "committing",
          states: {
            committing: { on: { ...open, activate: joins, reply: terminalReply, late } },
            done: { on: { ...refusals, accept: acceptAgain, late } },
          },
        },
        finalized: { on: { ...refusals, accept: acceptAgain, late: lateWith("operation_end") } },
      },
    },
    crashed: {
      description: "The process is gone; what had not landed is lost.",
      on: { reopen: restore, finalize: finalizeOffline, ...frameTampering },
    },
    closed: {
      on: {
        reply: {
          guard: when((c) => head(c)?.landed === true),
          actions: [
            show((c) => [outsiderMayLearn, ...(c.line.length === 1 ? [settles("close", "ok")] : [])]),
            update(shift),
          ],
        },
        fail: {
          guard: storageFails(false),
          actions: [
            show(() => [outsiderMayLearn, settles("close", "ok")]),
            update((c) => ({ ...fresh, parked: c.parked })),
          ],
        },
        lose_reply: {
          guard: storageFails(true),
          actions: [
            show(() => [outsiderMayLearn, settles("close", "ok")]),
            update((c) => ({ ...fresh, parked: c.parked })),
          ],
        },
        crash: { target: "crashed", guard: when(not(lineIsEmpty)), actions: update(() => ({ ...fresh })) },
        reopen: restore.map((branch) => ({
          ...branch,
          guard: when(lineIsEmpty, (c, e) => branch.guard?.({ context: c, event: e }) ?? true),
        })),
        finalize: finalizeOffline,
        late,
      },
    },
    faulted: {
      on: {
        activate: { guard: when(lineIsEmpty), actions: show(() => [settles("activate", "fault")]) },
        reply: {
          guard: when((c) => head(c)?.landed === true),
          actions: [show(() => [outsiderMayLearn]), update(shift)],
        },
        fail: {
          guard: storageFails(false),
          actions: [show(() => [outsiderMayLearn]), update(() => ({ line: [] }))],
        },
        lose_reply: {
          guard: storageFails(true),
          actions: [show(() => [outsiderMayLearn]), update(() => ({ line: [] }))],
        },
        crash: { target: "crashed", guard: when(not(lineIsEmpty)), actions: update(() => ({ ...fresh })) },
        reopen: restore.map((branch) => ({
          ...branch,
          guard: when(lineIsEmpty, (c, e) => branch.guard?.({ context: c, event: e }) ?? true),
        })),
        late: lateWith("fault"),
      },
    },
  },
});

/** Which ends the provider may give: an error may come before the start, `aborted` only after the signal (B3, D5). */
function mayEnd(c: Context, { end }: OfType<"stream.end">): boolean {
  if (!c.bounds.ends.includes(end)) return false;
  const failure = end === "retryable" || end === "terminal";
  if (c.cancel === "none") return end !== "aborted" && (c.encoded > 0 || failure);
  if (end === "aborted") return c.cancel === "replied";
  return c.encoded > 0 ? end === "stop" : end === "terminal";
}
