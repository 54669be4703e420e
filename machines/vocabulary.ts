/**
 * The words that the specification shares with nobody but its readers: names of commits, ends of a stream, calls and
 * effects. The requirements are the authority for each of them.
 */

/** A commit, named by what its writes mean. Any other commit of a harness is internal to it. */
export const commitNames = [
  "accept",
  "intent",
  "frame",
  "settle",
  "recover",
  "cancel",
  "terminal",
  "finalize",
] as const;
export type CommitName = (typeof commitNames)[number];

/**
 * How a provider stream ends. `length` was cut off amid tool calls; `deferred` hands out a handle to poll with, `mismatched` a
 * handle that belongs to another model; `aborted` is legal only after the signal was pulled (D5).
 */
export const streamEnds = [
  "stop",
  "length",
  "toolUse",
  "deferred",
  "mismatched",
  "retryable",
  "terminal",
  "aborted",
] as const;
export type StreamEnd = (typeof streamEnds)[number];

/** The protocol defects of B3: each faults the harness. */
export const defectKinds = [
  "update_before_start",
  "done_before_start",
  "second_start",
  "event_after_end",
  "iterator_throws",
  "no_terminal_event",
] as const;
export type DefectKind = (typeof defectKinds)[number];

/** The durable position of the lane: where a reopen restarts (N1). */
export type At =
  | "none"
  | "ready"
  | "effect_pending"
  | "retry_wait"
  | "tools"
  | "checkpoint"
  | "deferred.suspended"
  | "deferred.effect_pending";

/** How the last operation of the lane ended; `finalized` is a terminal transaction of an outside party (K3). */
export type Outcome = "completed" | "failed" | "aborted" | "finalized";

/** A call of the application whose promise the checker follows. */
export type Call = "accept" | "activate" | "cancel" | "finalize" | "close";

/** How a call's promise ends. `refused` is a typed refusal, `fault` and `closed` are typed rejections. */
export const callOutcomes = [
  "ok",
  "completed",
  "failed",
  "aborted",
  "finalized",
  "waiting",
  "suspended",
  "refused",
  "fault",
  "closed",
] as const;
export type CallOutcome = (typeof callOutcomes)[number];

export type LifecycleEvent =
  | "message_start"
  | "message_update"
  | "message_end"
  | "entry_added"
  | "usage"
  | "operation_end"
  | "fault";

/** What the transcript gains when a settlement or recovery lands. */
export interface ResponseInsert {
  readonly origin: "live" | "synthetic";
  readonly stop: "stop" | "length" | "toolUse" | "deferred" | "error" | "aborted";
  /** Whether `after_response` ran and its value was used (D3). */
  readonly hooked: boolean;
}

/** Something that a transition makes visible outside: the specification's half of an observation. */
export type Effect =
  | {
      readonly kind: "event";
      readonly name: LifecycleEvent;
      /** Whether it carries the recovery tag; `may` where the requirements leave it to the harness. */
      readonly recovery?: true | "may";
      readonly optional?: true;
    }
  | { readonly kind: "request" }
  /** A request that asks for the response behind a deferred handle (section G). */
  | { readonly kind: "poll" }
  /** The provider is asked to drop a deferred response; nobody waits for its answer (G4). */
  | { readonly kind: "remote_cancel" }
  | { readonly kind: "hook" }
  | { readonly kind: "tools"; readonly optional?: true }
  | { readonly kind: "signal"; readonly optional?: true }
  | { readonly kind: "prompt" }
  | { readonly kind: "frame" }
  | { readonly kind: "response"; readonly insert: ResponseInsert }
  /** `failed`: each call gets an error as its result, because nothing was executed (D5, F4). */
  | { readonly kind: "tool_results"; readonly failed: boolean }
  | {
      readonly kind: "call";
      readonly call: Call;
      readonly outcome: CallOutcome;
      readonly or?: readonly CallOutcome[];
      readonly optional?: true;
    };

/** How long `frames.lengthen` makes a list: longer than the default page of a reader (A6). */
export const lengthenedTo = 1_010;

/** One thing that the environment can do next. `kept` and `defect` tell apart the cases of one action. */
export type OperationEvent =
  | { readonly type: "accept" }
  | { readonly type: "activate" }
  | { readonly type: "activate.nowait" }
  /** An activation that may make one poll of a deferred response (G2). */
  | { readonly type: "permit" }
  | { readonly type: "cancel" }
  | { readonly type: "finalize" }
  | { readonly type: "close"; readonly kept: Kept }
  | { readonly type: "crash" }
  | { readonly type: "reopen" }
  | { readonly type: "snapshot" }
  | { readonly type: "tick" }
  | { readonly type: "land" }
  | { readonly type: "reply" }
  | { readonly type: "fail" }
  | { readonly type: "lose_reply" }
  /** The harness stops because of another lane (K2). No event of a session with one lane. */
  | { readonly type: "fault" }
  | { readonly type: "stream.start" }
  | { readonly type: "stream.update" }
  | { readonly type: "stream.covered" }
  | { readonly type: "stream.end"; readonly end: StreamEnd }
  | { readonly type: "stream.defect"; readonly defect: DefectKind; readonly kept: Kept }
  | { readonly type: "listener.release" }
  | { readonly type: "hook.release" }
  | { readonly type: "tools.return" }
  | { readonly type: "late" }
  | { readonly type: "frames.cut" }
  | { readonly type: "frames.remove" }
  | { readonly type: "frames.lengthen" };

/**
 * How much of the line had been handed to storage when the harness stopped: its head alone, or every frame append that
 * may overlap with it. The requirements allow both (K1: "queued work may be dropped, but what lands is a prefix").
 */
export type Kept = "head" | "overlapping";

export type EventType = OperationEvent["type"];
