/** The actions that rows of the race table are made of. */
import type { PlaceName } from "../operation/projection.ts";
import type { CommitName, Effect, EventType, StreamEnd } from "../vocabulary.ts";

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
  readonly states?: readonly PlaceName[];
}

/** A frame append becomes durable. */
export const landFrame: Act = { label: "append lands", events: ["land"], commits: ["frame"] };
/** An outside party ends the operation. */
export const finalize: Act = { label: "external finalization", events: ["finalize"] };
/** The application cancels. */
export const cancel: Act = { label: "cancel", events: ["cancel"] };
/** The application closes the session. */
export const close: Act = { label: "close", events: ["close"] };
/** The settlement of a response is handed to the line. */
export const settleEnqueued: Act = {
  label: "settlement",
  events: ["hook.release", "stream.end", "reply"],
  enqueues: "settle",
};
/** A tool call returns. */
export const toolReturns: Act = { label: "tool returns", events: ["tool.return"] };
/** The settlement of an orphaned response is handed to the line. */
export const recoveryEnqueued: Act = { label: "recovery settlement", events: ["activate"], enqueues: "recover" };

/** The places where an operation waits for an activation. */
export const waitingForActivation: readonly PlaceName[] = [
  "ready.parked",
  "suspended",
  "retry_wait.parked",
  "tools.parked",
  "checkpoint.parked",
  "deferred.suspended",
  "deferred.unknown",
];
