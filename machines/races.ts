/**
 * The race table of SPEC.md as literal objects. The states in which a row applies are computed from the graph: every
 * state where both actions are enabled. Each order names what must hold afterwards, as a function over the history.
 */
import type { History, HistoryStep } from "./history.ts";
import type { RequirementId } from "./requirements.ts";
import type { CommitName, Effect, EventType, StreamEnd } from "./vocabulary.ts";

/** Which transitions of the graph are this action. All given conditions must hold. */
export interface Act {
  readonly label: string;
  readonly events: readonly EventType[];
  /** The commit that the event lands, replies or fails. */
  readonly commits?: readonly CommitName[];
  readonly ends?: readonly StreamEnd[];
  /** A commit that the transition puts on the line. */
  readonly enqueues?: CommitName;
  /** An effect that the transition shows. */
  readonly shows?: Effect["kind"];
  /** State paths (without `up.`) in which the action counts; any when absent. */
  readonly states?: readonly string[];
}

/** The steps of a run from the first of the two actions on. */
export interface RaceRun {
  readonly steps: History;
  /** The durable state just before. */
  readonly before: HistoryStep | undefined;
}

export interface RequiredResult {
  readonly sentence: string;
  /** What is wrong, or `undefined` when the required result was reached. */
  violated(run: RaceRun): string | undefined;
}

export interface Race {
  readonly id: string;
  readonly title: string;
  readonly kind: "choice" | "precedence";
  readonly requirements: readonly RequirementId[];
  readonly first: Act;
  readonly second: Act;
  /** For a precedence: events that provoke the second while the first is parked. */
  readonly provoke?: readonly EventType[];
  /** Orders whose continuation no disturbance can tell apart from an ordinary run: they are driven quietly only. */
  readonly quietOrders?: readonly (0 | 1)[];
  /** The result when `first` goes first, and when `second` does; a precedence has its forbidden order last. */
  readonly required: readonly [RequiredResult, RequiredResult];
}

// --- required results ----------------------------------------------------------------------------------------------------

const required = (sentence: string, violated: RequiredResult["violated"]): RequiredResult => ({ sentence, violated });
const landed = ({ steps }: RaceRun): string[] => steps.flatMap((step) => step.landings.map(({ commit }) => commit));
const responses = ({ steps }: RaceRun) =>
  steps.flatMap((step) => step.landings.flatMap((landing) => landing.responses));
const indexOf = ({ steps }: RaceRun, commit: CommitName): number =>
  steps.findIndex((step) => step.landings.some((landing) => landing.commit === commit));
const after = (run: RaceRun, commit: CommitName): History => {
  const at = indexOf(run, commit);
  return at === -1 ? [] : run.steps.slice(at + 1);
};

/** Until a new operation is accepted, everything belongs to the operation that raced. */
const ofOneOperation = ({ steps, before }: RaceRun): RaceRun => {
  const end = steps.findIndex((step) => step.event.type === "accept" && step.atStore.includes("accept"));
  return { steps: end === -1 ? steps : steps.slice(0, end), before };
};
const ofOne =
  (violated: RequiredResult["violated"]): RequiredResult["violated"] =>
  (run) =>
    violated(ofOneOperation(run));

const framesBeforeSettle = ofOne((run) => {
  const settle = indexOf(run, "settle");
  if (settle === -1) return undefined;
  const pending = run.steps[settle]?.atStore.includes("frame");
  const afterwards = run.steps.slice(settle + 1).some((step) => {
    const intent = step.landings.some(({ commit }) => commit === "intent");
    return !intent && step.landings.some(({ commit }) => commit === "frame") && indexOf(run, "intent") === -1;
  });
  return pending || afterwards ? "a frame landed after its settlement" : undefined;
});
const listGoneWithEntry = ofOne((run) => {
  for (const landing of run.steps.flatMap((step) => step.landings)) {
    for (const { id } of landing.responses) {
      if (landing.listsLeft.some((list) => list.endsWith(`:${id}`)))
        return "the entry was inserted and its list was kept";
    }
  }
  return undefined;
});
const nothingAfterFinalization = ofOne((run) => {
  const writes = after(run, "finalize").flatMap((step) => step.landings);
  const late = writes.find(({ commit }) => commit !== "internal");
  if (late !== undefined) return `${late.commit} landed after the finalization`;
  return writes.some(({ listsLeft }) => listsLeft.length > 0) ? "a frame list was re-created" : undefined;
});
const noRequestAfterFinalization = ofOne((run) =>
  // The request may start before the finalization is replied; from then on none may.
  after(run, "finalize")
    .slice(1)
    .some((step) => step.requests.length > 0)
    ? "a request was made after the finalization"
    : undefined,
);
const oneTerminal = ofOne((run) => {
  const ends = run.steps.flatMap((step) => step.landings).filter(({ ends: operation }) => operation !== undefined);
  return ends.length > 1 ? `${ends.length} terminal transactions landed` : nothingAfterFinalization(run);
});
const cancelWins = ofOne((run) => {
  if (indexOf(run, "cancel") === -1) return undefined;
  const settled = after(run, "cancel")
    .flatMap((step) => step.landings)
    .flatMap((landing) => landing.responses);
  const other = settled.find(({ stop }) => stop !== "aborted");
  if (other !== undefined) return `a response settled as ${other.stop} after the cancel had landed`;
  return after(run, "cancel").some((step) => step.requests.length > 0)
    ? "a request was made after the cancel"
    : undefined;
});
const responseStands = ofOne((run) => {
  const ids = responses(run).map(({ id }) => id);
  return new Set(ids).size === ids.length ? undefined : "a response was settled twice";
});
const noHookAfterCancel = ofOne((run) => {
  // The cancel is the first step; an operation whose cancel failed has faulted and runs no hook either.
  const reopened = run.steps.findIndex((step) => step.event.type === "reopen");
  const here = reopened === -1 ? run.steps : run.steps.slice(0, reopened);
  return here.some((step) => step.hooks > 0) ? "after_response started after the cancel" : undefined;
});
const prefixRestores = ofOne((run) => {
  // Until something lands again the restored list is what had landed when the process went.
  const gone = run.steps.findIndex((step) => step.event.type === "crash" || step.event.type === "close");
  if (gone === -1) return undefined;
  const reopened = run.steps.findIndex((step, at) => at > gone && step.event.type === "reopen");
  if (reopened === -1) return undefined;
  const before = run.steps[reopened - 1]?.durable;
  const restored = run.steps[reopened]?.durable;
  return before?.listed === restored?.listed && before?.at === restored?.at
    ? undefined
    : "the reopen changed the durable prefix";
});
const nothingTwice = ofOne((run) => responseStands(run) ?? oneTerminal(run));
const faultBeforeHook = ofOne((run) => {
  const reopened = run.steps.findIndex((step) => step.event.type === "reopen");
  const here = reopened === -1 ? run.steps : run.steps.slice(0, reopened);
  const failed = here.findIndex((step) => step.event.type === "fail");
  if (failed === -1) return undefined;
  const later = here.slice(failed);
  if (later.some((step) => step.hooks > 0)) return "after_response started after the failed append";
  return later.some((step) => step.landings.some(({ commit }) => commit === "settle"))
    ? "a response settled after the failed append"
    : undefined;
});
const oneDrive = ofOne((run) => {
  const requested = run.steps.flatMap((step) => step.requests.map(({ response }) => response));
  if (new Set(requested).size !== requested.length) return "two requests were made for one response";
  const intents = run.steps.slice(0, 2).flatMap((step) => step.atStore.filter((commit) => commit === "intent"));
  return intents.length > 2 ? "two drives are at work" : responseStands(run);
});
const recoveryOnceWhole = ofOne((run) => {
  const recovered = landed(run).filter((commit) => commit === "recover").length;
  const pending = run.before?.pendingResponse;
  const times = responses(run).filter(({ id }) => id === pending).length;
  return times > 1
    ? `the interrupted response was settled ${times} times in ${recovered} recoveries`
    : listGoneWithEntry(run);
});
const syntheticFirst = ofOne((run) => {
  const request = run.steps.findIndex((step) => step.requests.length > 0);
  const intent = indexOf(run, "intent");
  const recover = indexOf(run, "recover");
  const replied = run.steps.findIndex((step) =>
    step.events.some(({ name, recovery }) => name === "entry_added" && recovery),
  );
  // The synthetic response may have landed before: then a later recovery is of a later attempt.
  if (run.before?.durable.at !== "effect_pending") return undefined;
  if (intent !== -1 && recover !== -1 && intent < recover)
    return "a later attempt was reserved before the synthetic response";
  return request !== -1 && replied !== -1 && request < replied
    ? "a request was made before the synthetic response was replied"
    : undefined;
});
const notBeforeItsReply = (what: "settle" | "request") =>
  required(
    what === "settle"
      ? "neither hook nor settlement is seen while the last append is unreplied"
      : "no later attempt is seen while the synthetic response is unreplied",
    ({ steps }) => {
      // Every step of a provocation keeps the first commit parked.
      const early = steps.some(
        (step) =>
          step.hooks > 0 ||
          step.requests.length > 0 ||
          step.atStore.includes("settle") ||
          step.atStore.includes("intent"),
      );
      return early ? `the second was seen while the first was unreplied` : undefined;
    },
  );
const providerOrder = ofOne((run) => prefixRestores(run) ?? listGoneWithEntry(run));

const both = (sentence: string, violated: RequiredResult["violated"]): readonly [RequiredResult, RequiredResult] => [
  required(sentence, violated),
  required(sentence, violated),
];

// --- the rows ----------------------------------------------------------------------------------------------------------------

const landFrame: Act = { label: "append lands", events: ["land"], commits: ["frame"] };
const finalize: Act = { label: "external finalization", events: ["finalize"] };
const cancel: Act = { label: "cancel", events: ["cancel"] };
const close: Act = { label: "close", events: ["close"] };
const settleEnqueued: Act = {
  label: "settlement",
  events: ["hook.release", "stream.end", "reply"],
  enqueues: "settle",
};
const recoveryEnqueued: Act = { label: "recovery settlement", events: ["activate"], enqueues: "recover" };

export const races: readonly Race[] = [
  {
    id: "R1",
    title: "frame append / next frame",
    kind: "choice",
    requirements: ["C1", "N5"],
    first: landFrame,
    second: { label: "next frame", events: ["stream.start", "stream.update"] },
    required: both("synchronous enqueue keeps provider order", providerOrder),
  },
  {
    id: "R2",
    title: "frame append / stream settlement",
    kind: "choice",
    requirements: ["C5", "N6"],
    first: landFrame,
    second: { label: "stream ends", events: ["stream.end"], ends: ["stop"] },
    required: both("settlement awaits the latest write; all accepted appends land first", framesBeforeSettle),
  },
  {
    id: "R3",
    title: "live update event / frame commit",
    kind: "choice",
    requirements: ["J3", "C1"],
    first: { label: "event delivered", events: ["listener.release"] },
    second: landFrame,
    required: both("either first; the event is observation only, reconnect uses committed frames", prefixRestores),
  },
  {
    id: "R4",
    title: "append / external finalization",
    kind: "choice",
    requirements: ["C4", "K3", "N12"],
    first: { label: "append", events: ["stream.start", "stream.update"] },
    second: finalize,
    required: [
      required("append first: deleted by cleanup", nothingAfterFinalization),
      required("finalization first: append fenced", nothingAfterFinalization),
    ],
  },
  {
    id: "R5",
    title: "process loss / queued writes",
    kind: "choice",
    requirements: ["D4", "E1"],
    first: { label: "process loss", events: ["crash"] },
    second: { label: "queued write lands", events: ["land"], commits: ["frame", "settle"] },
    required: both("exactly the committed prefix restores", prefixRestores),
  },
  {
    id: "R6",
    title: "final frame / response settlement",
    kind: "precedence",
    requirements: ["C5", "C7", "D1", "N8"],
    first: {
      label: "final frame replied",
      events: ["reply"],
      commits: ["frame"],
      states: ["effect_pending.awaiting_writes"],
    },
    second: { label: "response settlement", events: ["land"], commits: ["settle"] },
    provoke: ["land", "snapshot", "activate"],
    quietOrders: [1],
    required: [
      required(
        "frame first; settlement deletes list and inserts entry atomically",
        ofOne((run) => framesBeforeSettle(run) ?? listGoneWithEntry(run)),
      ),
      notBeforeItsReply("settle"),
    ],
  },
  {
    id: "R7",
    title: "activation / snapshot",
    kind: "choice",
    requirements: ["E2", "I1", "I3"],
    first: { label: "activation", events: ["activate"], states: ["suspended"] },
    second: { label: "snapshot", events: ["snapshot"], states: ["suspended", "recovering"] },
    required: both("both reduce the same committed prefix; activation may then settle and clear", recoveryOnceWhole),
  },
  {
    id: "R8",
    title: "unknown generation / retry",
    kind: "precedence",
    requirements: ["E5", "E7", "C7"],
    first: { label: "synthetic response replied", events: ["reply"], commits: ["recover"], states: ["recovering"] },
    second: { label: "later attempt", events: ["reply"], commits: ["intent"] },
    provoke: ["land", "tick", "activate"],
    quietOrders: [1],
    required: [
      required("synthetic partial error commits under the old ids before a later attempt", syntheticFirst),
      notBeforeItsReply("request"),
    ],
  },
  {
    id: "X1",
    title: "cancel / response settlement",
    kind: "choice",
    requirements: ["F1", "F2", "F4"],
    first: cancel,
    second: settleEnqueued,
    required: [
      required("cancel first: aborted", cancelWins),
      required("settlement first: the response stands", responseStands),
    ],
  },
  {
    id: "X2",
    title: "cancel / after_response",
    kind: "choice",
    requirements: ["F1", "F2"],
    first: cancel,
    second: { label: "after_response starts", events: ["reply", "stream.end"], shows: "hook" },
    required: [
      required("cancel first skips the hook", noHookAfterCancel),
      required("hook first finishes and is used", responseStands),
    ],
  },
  {
    id: "X3",
    title: "close / settlement",
    kind: "choice",
    requirements: ["K1"],
    first: close,
    second: settleEnqueued,
    required: [
      required(
        "close first: abandoned, effect_pending",
        ofOne((run) => {
          const reopened = run.steps.findIndex((step) => step.event.type === "reopen");
          const here = reopened === -1 ? run.steps : run.steps.slice(0, reopened);
          return here.some((step) => step.landings.some(({ commit }) => commit === "settle"))
            ? "a settlement landed after close"
            : undefined;
        }),
      ),
      required("settlement first: stands", responseStands),
    ],
  },
  {
    id: "X4",
    title: "close / queued appends",
    kind: "choice",
    requirements: ["K1"],
    first: close,
    second: landFrame,
    required: both("what was handed over may land, the rest is dropped; a prefix restores", prefixRestores),
  },
  {
    id: "X5",
    title: "append failure / stream end",
    kind: "choice",
    requirements: ["C6", "K2"],
    first: { label: "append fails", events: ["fail"], commits: ["frame"] },
    second: { label: "stream ends", events: ["stream.end"] },
    required: both("fault before after_response; nothing settles", faultBeforeHook),
  },
  {
    id: "X6",
    title: "external finalization / settlement",
    kind: "choice",
    requirements: ["K3"],
    first: finalize,
    second: settleEnqueued,
    required: both("exactly one terminal transaction; the loser writes nothing", oneTerminal),
  },
  {
    id: "X7",
    title: "activation / activation",
    kind: "choice",
    requirements: ["O3"],
    first: {
      label: "activation",
      events: ["activate"],
      states: ["ready.parked", "suspended", "retry_wait.parked", "tools.parked", "checkpoint.parked"],
    },
    second: {
      label: "another activation",
      events: ["activate"],
      states: ["ready.parked", "suspended", "retry_wait.parked", "tools.parked", "checkpoint.parked"],
    },
    required: both("one drive", oneDrive),
  },
  {
    id: "X8",
    title: "cancel / recovery settlement",
    kind: "choice",
    requirements: ["F3", "E7"],
    first: cancel,
    second: recoveryEnqueued,
    required: [
      required("cancel first: aborted, no retry", cancelWins),
      required("recovery first: it stands", recoveryOnceWhole),
    ],
  },
  {
    id: "X9",
    title: "external finalization / after_response",
    kind: "choice",
    requirements: ["K3"],
    first: finalize,
    second: { label: "hook returns", events: ["hook.release"] },
    required: both("its value is dropped; nothing is written after the finalization", nothingAfterFinalization),
  },
  {
    id: "X10",
    title: "external finalization / recovery settlement",
    kind: "choice",
    requirements: ["K3", "E5"],
    first: finalize,
    second: recoveryEnqueued,
    required: both("exactly one terminal outcome; no response after finalization", oneTerminal),
  },
  {
    id: "X11",
    title: "external finalization / retry wake-up",
    kind: "choice",
    requirements: ["K3", "O4"],
    first: finalize,
    second: { label: "retry wakes", events: ["tick"], states: ["retry_wait.waiting"] },
    required: both("no request after finalization", noRequestAfterFinalization),
  },
  {
    id: "X12",
    title: "cancel / intent",
    kind: "choice",
    requirements: ["F1", "F4"],
    first: cancel,
    second: { label: "intent", events: ["activate", "tick", "land"], enqueues: "intent" },
    required: [
      required(
        "cancel first: no request",
        ofOne((run) => {
          const reopened = run.steps.findIndex((step) => step.event.type === "reopen");
          const here = reopened === -1 ? run.steps : run.steps.slice(0, reopened);
          return here.some((step) => step.requests.length > 0) ? "a request was made after the cancel" : undefined;
        }),
      ),
      required("intent first: no request is made, then a synthetic aborted response", cancelWins),
    ],
  },
  {
    id: "X13",
    title: "close / recovery",
    kind: "choice",
    requirements: ["K1", "E9"],
    first: close,
    second: { label: "recovery lands", events: ["land"], commits: ["recover"] },
    required: both("either nothing or the whole synthetic settlement; reopen repeats it safely", recoveryOnceWhole),
  },
  {
    id: "X14",
    title: "lost reply / next action",
    kind: "choice",
    requirements: ["K2", "E9"],
    quietOrders: [1],
    first: {
      label: "the reply is lost",
      events: ["lose_reply"],
      commits: ["intent", "frame", "settle", "cancel", "terminal"],
    },
    second: {
      label: "the reply arrives",
      events: ["reply"],
      commits: ["intent", "frame", "settle", "cancel", "terminal"],
    },
    required: both("what landed stands once, nothing is done twice", nothingTwice),
  },
];
