/**
 * What the operation machine remembers besides its state, and the pure rules over it. Everything here abstracts: frames
 * are counted, never stored; the history of a run belongs to the run, not to the machine.
 */
import {
  type At,
  type Call,
  type CallOutcome,
  type CommitName,
  type DefectKind,
  type Effect,
  type Kept,
  type LifecycleEvent,
  type Outcome,
  outsiders,
  type ResponseInsert,
  type StreamDefect,
  type StreamEnd,
  type ToolName,
  type ToolPlan,
} from "../../vocabulary.ts";
import { newPlan, withMark, withResults } from "./plan.ts";

/** Limits of the exploration. They bound the model, never an implementation. */
export interface Bounds {
  /** Frames that the stream of a first attempt may encode while anything may happen amid them, its start frame included. */
  readonly frames: number;
  /** How many more it may encode when it goes on alone. */
  readonly framesAlone: number;
  /** The same for the streams of later attempts, which differ from the first in where their failures lead. */
  readonly framesOfRetries: number;
  /** The same for the stream of a poll. */
  readonly framesOfPolls: number;
  /** What the harness says that a protocol defect costs: B3 allows both. */
  readonly defectsCost: StreamDefect["costs"];
  /** How a stream may break its protocol while a cancel or a finalization is on its way. */
  readonly defectsAmidOutsiders: readonly DefectKind[];
  /** The same for the stream of a poll. */
  readonly defectsOfPolls: readonly DefectKind[];
  /** The attempt cap of the captured retry policy. */
  readonly attempts: number;
  /** Cancels and finalizations that may wait on the line at the same time. */
  readonly outsidersOnLine: number;
  /** Polls of one deferred response. */
  readonly polls: number;
  /** How many of them a cancel or a finalization may come amid. */
  readonly pollsWithOutsiders: number;
  readonly ends: readonly StreamEnd[];
  /** Ends of a stream that has encoded more than its start frame: where it leads does not depend on its length. */
  readonly endsOfLongStreams: readonly StreamEnd[];
  readonly endsOfRetries: readonly StreamEnd[];
  readonly endsOfPolls: readonly StreamEnd[];
}

/** What a reopen would find: the scalar operation state, and how long the frame list is. */
export interface Durable {
  readonly at: At;
  readonly control: "running" | "cancelled";
  /** The attempt under way (`effect_pending`) or to come (`retry_wait`); 0 elsewhere. */
  readonly attempt: number;
  /** Number of the poll under way, or of the last one, while a response is deferred; 0 elsewhere (G3). */
  readonly poll: number;
  readonly listed: number;
  /** How far the calls of a response have come; `refuse`: each gets an error, because the response was cut off (D5). */
  readonly plan: ToolPlan | "refuse" | null;
  readonly outcome: Outcome | null;
}

/** A commit on the session line, and whether it has landed. */
export interface LineItem {
  readonly commit: CommitName;
  readonly landed: boolean;
  /** Of a mark or a result: the call that it is about. */
  readonly tool?: ToolName;
}

/** What of the drive waits for its surroundings rather than for storage. */
export type Parked = "stream" | "listener" | "hook" | "tools" | null;

/** What the operation machine remembers besides its state. */
export interface Context {
  readonly bounds: Bounds;
  readonly durable: Durable;
  /** The session line in order; an item leaves it when its commit is replied. */
  readonly line: readonly LineItem[];
  readonly drive: boolean;
  /** Whether the activation may know already that its operation is suspended, though a finalization is still to come. */
  readonly told: boolean;
  readonly parked: Parked;
  /** The calls that run, in the order in which they started. */
  readonly running: readonly ToolName[];
  /** Frames that the live stream has encoded so far. */
  readonly encoded: number;
  /** How the stream ended, until its settlement lands. */
  readonly end: StreamEnd | null;
  readonly hooked: boolean;
  /** What this process knows of a cancel: called (on the line), then replied, or found replied when it opened. */
  readonly cancel: "none" | "called" | "replied";
  /** Whether the clock has reached `notBefore`. */
  readonly due: boolean;
}

/** What is durable before any operation was accepted. */
export const noOperation: Durable = {
  at: "none",
  control: "running",
  attempt: 0,
  poll: 0,
  listed: 0,
  plan: null,
  outcome: null,
};

/** The process-local half of a context, as a process finds it that has just opened the session. */
export const fresh = {
  line: [],
  drive: false,
  told: false,
  parked: null,
  running: [],
  encoded: 0,
  end: null,
  hooked: false,
  cancel: "none",
} as const satisfies Partial<Context>;

// --- the session line ---------------------------------------------------------------------------------------------

/** The commit that is replied next. */
export const head = (c: Context): LineItem | undefined => c.line[0];
/** Whether the commit that is replied next is this one. */
export const headIs = (c: Context, commit: CommitName): boolean => c.line[0]?.commit === commit;
/** Whether a commit waits on the line. */
export const onLine = (c: Context, commit: CommitName): boolean => c.line.some((item) => item.commit === commit);
/** The line with one more commit at its end. */
export const push = (c: Context, commit: CommitName, tool?: ToolName): readonly LineItem[] => [
  ...c.line,
  { commit, landed: false, ...(tool !== undefined && { tool }) },
];

const landedCount = (c: Context): number => c.line.filter((item) => item.landed).length;

/** How many items from the head may be at the store together: one, or every consecutive frame append. */
function overlapping(c: Context): number {
  const firstOther = c.line.findIndex((item) => item.commit !== "frame");
  if (firstOther === 0) return 1;
  return firstOther === -1 ? c.line.length : firstOther;
}

/** The item that lands next, when the order of the line lets one land. */
export function nextToLand(c: Context): LineItem | undefined {
  const landed = landedCount(c);
  return landed < overlapping(c) ? c.line[landed] : undefined;
}

/** What is still at the store when the harness stops (K1): nothing that was not handed over. */
export function keep(c: Context, kept: Kept): readonly LineItem[] {
  return c.line.slice(0, kept === "overlapping" ? overlapping(c) : Math.max(1, landedCount(c)));
}

/** The case `head` exists only where it differs from `overlapping`. */
export const keptDiffers = (c: Context): boolean => keep(c, "head").length < keep(c, "overlapping").length;

/** Whether the response under way is that of a poll. */
export const isPoll = ({ durable }: Context): boolean => durable.at === "deferred.effect_pending";

// --- what a landing makes durable -----------------------------------------------------------------------------------

/** D5, first match wins: where a settlement leads. */
function classify(c: Context): { readonly durable: Durable; readonly insert: ResponseInsert } {
  const { durable, end, hooked } = c;
  const live = (stop: ResponseInsert["stop"]): ResponseInsert => ({ origin: "live", stop, hooked });
  if (durable.control === "cancelled") return { durable: next(durable, "checkpoint"), insert: live("aborted") };
  switch (end) {
    // A stream that ends while a call is open is an interruption (Q5).
    case "openCall":
    case "retryable":
      return { durable: isPoll(c) ? ended("failed") : retryOrFail(c), insert: live("error") };
    case "toolUse":
      return { durable: { ...next(durable, "tools"), plan: newPlan }, insert: live("toolUse") };
    case "length":
      return { durable: { ...next(durable, "tools"), plan: "refuse" }, insert: live("length") };
    case "deferred":
      return {
        durable: { ...next(durable, "deferred.suspended"), poll: durable.poll },
        insert: live("deferred"),
      };
    case "stop":
      return { durable: next(durable, "checkpoint"), insert: live("stop") };
    case "terminal":
    // A handle of another model settles as a failure does, and so would an end without a cause (D5).
    case "mismatched":
    case "noCalls":
    case "aborted":
    case null:
      return { durable: ended("failed"), insert: live("error") };
  }
}

/** E5, E7, F3: where the synthetic settlement of an orphaned generation leads. */
function classifyRecovery(c: Context): { readonly durable: Durable; readonly insert: ResponseInsert } {
  const synthetic = (stop: ResponseInsert["stop"]): ResponseInsert => ({ origin: "synthetic", stop, hooked: false });
  return c.durable.control === "cancelled"
    ? { durable: next(c.durable, "checkpoint"), insert: synthetic("aborted") }
    : { durable: retryOrFail(c), insert: synthetic("error") };
}

function retryOrFail({ durable, bounds }: Context): Durable {
  if (durable.attempt >= bounds.attempts) return ended("failed");
  return { ...next(durable, "retry_wait"), attempt: durable.attempt + 1 };
}

/** The plan of the durable state; its absence is a mistake of the chart. */
function planOf({ plan }: Durable): ToolPlan {
  if (plan === null || plan === "refuse") throw new Error("There is no plan with calls to run");
  return plan;
}

/** The durable state with these results. The last one lets the operation go on, or end when it is cancelled (F4). */
export function finished(durable: Durable, tools: readonly ToolName[]): Durable {
  const plan = durable.plan === "refuse" ? null : withResults(planOf(durable), tools);
  return plan === null ? next(durable, durable.control === "cancelled" ? "checkpoint" : "ready") : { ...durable, plan };
}

const next = (durable: Durable, at: At): Durable => ({ ...durable, at, attempt: 0, poll: 0, listed: 0, plan: null });
const ended = (outcome: Outcome): Durable => ({ ...noOperation, outcome });

/** The durable state after a commit has landed. */
export function landed(c: Context, { commit, tool }: Omit<LineItem, "landed">): Durable {
  const { durable } = c;
  switch (commit) {
    case "accept":
      return { ...noOperation, at: "ready" };
    case "intent":
      return intended(durable);
    case "frame":
      return { ...durable, listed: durable.listed + 1 };
    case "mark":
      return { ...durable, plan: withMark(planOf(durable), tool as ToolName) };
    case "result":
      return finished(durable, [tool as ToolName]);
    case "settle":
      return classify(c).durable;
    case "recover":
      return classifyRecovery(c).durable;
    case "cancel":
      // Under a cancel an operation that is ready has only to end, as at a checkpoint (F4).
      return { ...durable, control: "cancelled", at: durable.at === "ready" ? "checkpoint" : durable.at };
    case "terminal":
      return ended(durable.control === "cancelled" ? "aborted" : "completed");
    case "finalize":
      return ended("finalized");
  }
}

/** The intent reserves fresh ids; one that replaces an unknown poll drops its list and keeps its number (G3). */
function intended(durable: Durable): Durable {
  const fresh = { ...durable, listed: 0 };
  switch (durable.at) {
    case "deferred.suspended":
      return { ...fresh, at: "deferred.effect_pending", poll: durable.poll + 1 };
    case "deferred.effect_pending":
      return fresh;
    default:
      return { ...fresh, at: "effect_pending", attempt: Math.max(1, durable.attempt) };
  }
}

/** What of a landing shows in durable places beside the scalar state. */
export function landingEffects(c: Context, { commit, tool }: LineItem): readonly Effect[] {
  switch (commit) {
    case "accept":
      return [{ kind: "prompt" }];
    case "frame":
      return [{ kind: "frame" }];
    case "result":
      return [{ kind: "tool_results", tools: [tool as ToolName], as: "returned" }];
    case "settle":
      return [{ kind: "response", insert: classify(c).insert }];
    case "recover":
      return [{ kind: "response", insert: classifyRecovery(c).insert }];
    default:
      return [];
  }
}

// --- effects --------------------------------------------------------------------------------------------------------

/** A lifecycle event that must be announced. */
export const event = (name: LifecycleEvent): Effect => ({ kind: "event", name });
/** A cancelled deferred response is given up at the provider too, as far as that answers (G4). */
export const remoteCancel = ({ durable }: Context): readonly Effect[] =>
  durable.at === "deferred.suspended" || durable.at === "deferred.effect_pending" ? [{ kind: "remote_cancel" }] : [];

/** A promise that must settle. */
export const settles = (call: Call, outcome: CallOutcome): Effect => ({ kind: "call", call, outcome });
/** A promise that may settle here: the requirements name no step for it, only that none stays pending (N13). */
export const maySettle = (call: Call, outcome: CallOutcome): Effect => ({
  kind: "call",
  call,
  outcome,
  optional: true,
});

/** Every promise that the application still holds, rejected (K1, K2); a listener may have held one of a cancel back. */
export function rejectOpenCalls(c: Context, outcome: "fault" | "closed"): readonly Effect[] {
  const effects: Effect[] = [];
  if (onLine(c, "accept")) effects.push(settles("accept", outcome));
  if (c.drive) effects.push((c.told ? maySettle : settles)("activate", outcome));
  if (c.cancel === "called") effects.push(settles("cancel", outcome));
  if (onLine(c, "finalize")) effects.push(outsiderMayLearn);
  return c.cancel === "replied" && c.parked === "listener" ? [...effects, maySettle("cancel", outcome)] : effects;
}

/**
 * The promise of a finalization belongs to the outside party, not to the harness: the requirements do not say when a harness
 * that stops must settle it, nor whether the outside party still gets its turn on the line.
 */
export const outsiderMayLearn: Effect = {
  kind: "call",
  call: "finalize",
  outcome: "ok",
  or: ["fault", "closed", "refused"],
  optional: true,
};

/** A poll that replaces one of unknown outcome is live, but a harness may tag what it announces as a recovery. */
export const eventOfPoll = (name: LifecycleEvent): Effect => ({ kind: "event", name, recovery: "may" });

/** A lifecycle event that may be announced or left out. */
export const mayAnnounce = (name: LifecycleEvent): Effect => ({ kind: "event", name, optional: true });

/** The provider's signal is pulled once, while the stream is open; afterwards nobody listens to it. */
export const pullSignal = (c: Context): readonly Effect[] =>
  c.drive && c.cancel !== "replied" && (c.parked === "stream" || c.parked === "listener") ? [{ kind: "signal" }] : [];

/** A listener that has not returned holds back every later event; what the stop of a drive announces comes after it. */
export const announced = (c: Context, name: LifecycleEvent): readonly Effect[] =>
  c.parked === "listener" ? [] : [event(name)];

/** The operation has ended on the reply of its last transaction: the drive resolves, what waits behind is refused (K3). */
export function operationEnds(c: Context, outcome: Outcome): readonly Effect[] {
  const behind = c.line.slice(1);
  const refused = outsiders.filter((call) => behind.some((item) => item.commit === call));
  const end: readonly Effect[] = c.drive ? announced(c, "operation_end") : [mayAnnounce("operation_end")];
  return [
    ...end,
    ...(c.drive ? [settles("activate", outcome)] : []),
    ...refused.map((call) => settles(call, "refused")),
  ];
}
