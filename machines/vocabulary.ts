/** The specification's vocabulary. Nothing in `src/` imports it. The requirements are the authority for each word. */

/** The keys of a table, in their order. */
export const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>): readonly K[] =>
  Object.keys(table) as K[];

/**
 * The commits, named by what their writes mean. Any other commit of a harness is internal to it. `by`: who asks for it, the
 * caller of an accept, the drive of the operation, or somebody outside the drive. `settles`: whether a response becomes an entry.
 */
export const commits = {
  accept: { by: "caller", settles: false },
  intent: { by: "drive", settles: false },
  frame: { by: "drive", settles: false },
  mark: { by: "drive", settles: false },
  result: { by: "drive", settles: false },
  settle: { by: "drive", settles: true },
  recover: { by: "drive", settles: true },
  cancel: { by: "outsider", settles: false },
  terminal: { by: "drive", settles: false },
  finalize: { by: "outsider", settles: false },
} as const;
/** The name of a commit. */
export type CommitName = keyof typeof commits;
/** All names of commits. */
export const commitNames: readonly CommitName[] = keysOf(commits);

/** A commit that a call from outside the drive asks for: it bears the name of its call. */
export type Outsider = { [C in CommitName]: (typeof commits)[C]["by"] extends "outsider" ? C : never }[CommitName];
/** Whether a commit is that of a cancel or of a finalization. */
export const isOutsider = (commit: CommitName): commit is Outsider => commits[commit].by === "outsider";
/** Both commits of outsiders. */
export const outsiders: readonly Outsider[] = commitNames.filter(isOutsider);

/**
 * How a provider stream ends. `length` was cut off amid tool calls; `openCall` says that it is complete, and carries a call that
 * it has begun and not ended (Q5); `noCalls` asks for tools and names none; `deferred` hands out a handle to poll with, `mismatched` a
 * handle that belongs to another model; `aborted` is legal only after the signal was pulled (D5). `beforeStart`: whether it
 * may come without a start event (B3). `asksAgain`: whether a further request of the same operation follows its calls.
 */
export const streamEndings = {
  stop: { beforeStart: false, asksAgain: false },
  length: { beforeStart: false, asksAgain: true },
  toolUse: { beforeStart: false, asksAgain: true },
  openCall: { beforeStart: false, asksAgain: false },
  noCalls: { beforeStart: false, asksAgain: false },
  deferred: { beforeStart: false, asksAgain: false },
  mismatched: { beforeStart: false, asksAgain: false },
  retryable: { beforeStart: true, asksAgain: false },
  terminal: { beforeStart: true, asksAgain: false },
  aborted: { beforeStart: false, asksAgain: false },
} as const;
/** How a provider stream ends. */
export type StreamEnd = keyof typeof streamEndings;
/** All ends of a stream. */
export const streamEnds: readonly StreamEnd[] = keysOf(streamEndings);

/** The protocol defects of B3, none of which settles as an answer, and when in its stream each can show. */
export const defects = {
  update_before_start: "before the start",
  done_before_start: "before the start",
  second_start: "after the start",
  event_after_end: "after the start",
  iterator_throws: "at any time",
  no_terminal_event: "at any time",
} as const;
/** A protocol defect of a provider stream (B3). */
export type DefectKind = keyof typeof defects;
/** All protocol defects. */
export const defectKinds: readonly DefectKind[] = keysOf(defects);

/** The calls that a response with tool calls plans, in their order, and whether their tool is declared safe to repeat (Q1). */
export const plannedTools = {
  send: { repeatable: false },
  look: { repeatable: true },
} as const;
/** A planned call, by the name of its tool. */
export type ToolName = keyof typeof plannedTools;
/** How often a call of a tool that is safe to repeat is started at most (Q1). */
export const maxToolRuns = 2;
/** The planned calls in their order. */
export const toolNames: readonly ToolName[] = keysOf(plannedTools);

/** How far a planned call has come: a mark is durable before each start, and after a start its result (Q1). */
export type ToolProgress = "planned" | "marked" | "marked again" | "done";
/** How far the calls of a response have come. */
export type ToolPlan = Readonly<Record<ToolName, ToolProgress>>;

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

/** How an operation can end; `finalized` is a terminal transaction of an outside party (K3). */
export const outcomes = ["completed", "failed", "aborted", "finalized"] as const;
/** How the last operation of the lane ended. */
export type Outcome = (typeof outcomes)[number];

/** A call of the application whose promise the checker follows. */
export type Call = "accept" | "activate" | "cancel" | "finalize" | "close";

/** How a call's promise ends. `refused` is a typed refusal, `fault` and `closed` are typed rejections. */
export const callOutcomes = ["ok", ...outcomes, "waiting", "suspended", "refused", "fault", "closed"] as const;
/** How a call's promise ends. */
export type CallOutcome = (typeof callOutcomes)[number];

/** An event that a harness announces to its listeners (J). */
export type LifecycleEvent =
  | "message_start"
  | "message_update"
  | "message_end"
  | "entry_added"
  | "usage"
  | "operation_end"
  | "fault";

/**
 * How a planned call gets its result: what its run gave, or an error, because it was cancelled (F4), because a crash left its
 * outcome unknown (Q1), or because the response was cut off (D5).
 */
export type ToolEnd = "returned" | "aborted" | "interrupted" | "refused";

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
  | { readonly kind: "tools"; readonly tool: ToolName }
  | { readonly kind: "signal"; readonly optional?: true }
  | { readonly kind: "prompt" }
  | { readonly kind: "frame" }
  | { readonly kind: "response"; readonly insert: ResponseInsert }
  | { readonly kind: "tool_results"; readonly tools: readonly ToolName[]; readonly as: ToolEnd }
  | {
      readonly kind: "call";
      readonly call: Call;
      readonly outcome: CallOutcome;
      readonly or?: readonly CallOutcome[];
      readonly optional?: true;
    };

/**
 * Where an effect shows: `asked` of the surroundings, a given number of times; `told` to somebody, each with its own
 * comparison; `durable`, in what has landed.
 */
const effectKinds = {
  event: "told",
  request: "asked",
  poll: "asked",
  remote_cancel: "asked",
  hook: "asked",
  tools: "asked",
  signal: "told",
  prompt: "durable",
  frame: "durable",
  response: "durable",
  tool_results: "durable",
  call: "told",
} as const satisfies Readonly<Record<Effect["kind"], "asked" | "told" | "durable">>;

/** An effect that the surroundings are asked for: an observer counts how often. */
export type AskedKind = {
  [K in Effect["kind"]]: (typeof effectKinds)[K] extends "asked" ? K : never;
}[Effect["kind"]];

/** How long `frames.lengthen` makes a list: longer than the default page of a reader (A6). */
export const lengthenedTo = 1_010;

/** One thing that the environment can do next. `kept` and `costs` tell apart the cases of one action. */
export type OperationEvent =
  | { readonly type: "accept" }
  | { readonly type: "activate" }
  | { readonly type: "activate.nowait" }
  /** An activation that may make one poll of a deferred response (G2). */
  | { readonly type: "permit" }
  | { readonly type: "cancel" }
  /** A cancel that names an operation that is not open (Q7). */
  | { readonly type: "cancel.stale" }
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
  | StreamDefect
  | { readonly type: "listener.release" }
  | { readonly type: "hook.release" }
  | { readonly type: "tool.return"; readonly tool: ToolName }
  | { readonly type: "late" }
  | { readonly type: "frames.cut" }
  | { readonly type: "frames.remove" }
  | { readonly type: "frames.damage" }
  | { readonly type: "frames.lengthen" };

/** A defect costs the response that it belongs to, or the whole harness: B3 allows both. */
export type StreamDefect =
  | { readonly type: "stream.defect"; readonly defect: DefectKind; readonly costs: "response" }
  | { readonly type: "stream.defect"; readonly defect: DefectKind; readonly costs: "harness"; readonly kept: Kept };

/**
 * How much of the line had been handed to storage when the harness stopped: its head alone, or every frame append that
 * may overlap with it. The requirements allow both (K1: "queued work may be dropped, but what lands is a prefix").
 */
export type Kept = "head" | "overlapping";

/** The type of an event: its name in the alphabet. */
export type EventType = OperationEvent["type"];

/** The events of one type. */
export type OfType<T extends EventType> = Extract<OperationEvent, { type: T }>;
