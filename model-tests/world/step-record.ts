/** What is written down while one step is driven. */
import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import type { AnnouncedFact, Call, CallOutcome, LandingFact, ProviderFact } from "../../machines/index.ts";
import type { ObservedSnapshot } from "../adapters/adapter.ts";
import type { Anomaly } from "./anomalies.ts";
import type { StoreRead } from "./gated-storage.ts";
import type { WrongAt } from "./values/expectation.ts";

/** What a reader was told, and whether it lacks something of the live stream that a listener had been given (I1). */
export interface SeenSnapshot extends ObservedSnapshot {
  readonly behind: boolean;
}

/** One read, and what was the case at its time. */
export interface SeenRead extends StoreRead {
  /** Whether a reader waits for an answer: what is read may be for them. */
  readonly forReader: boolean;
  /** Of a list: whether it is that of the pending response, as long as one is pending. */
  readonly isOfPending: boolean;
}

/** Everything the harness did in one step. */
export interface StepRecord {
  readonly events: AnnouncedFact[];
  readonly landings: LandingFact[];
  readonly calls: { readonly call: Call; readonly outcome: CallOutcome }[];
  readonly snapshots: SeenSnapshot[];
  /** Snapshots that the harness did not give: only one that has stopped may refuse. */
  snapshotsRefused: number;
  /** Responses for which a request was made, with the stop reasons and the tool results in its context. */
  readonly requests: {
    readonly response: string;
    readonly contextStops: readonly string[];
    readonly results: readonly string[];
  }[];
  /** Responses for which a deferred one was polled, with the handle that was used. */
  readonly polls: { readonly response: string; readonly handle: string }[];
  /** Handles that the provider was asked to give up. */
  readonly remoteCancels: string[];
  /** Provider events that the harness was given. */
  readonly provider: ProviderFact[];
  hooks: number;
  /** Tool calls that were started. */
  readonly tools: { readonly call: string; readonly tool: string; readonly repeatable: boolean }[];
  signals: number;
  /** What the harness has read of its store. */
  readonly reads: SeenRead[];
  /** Values that are not what they must be. */
  readonly wrong: WrongAt[];
  /** What no expectation can excuse: untyped errors, acts of a dead process, a store that breaks section A. */
  readonly anomalies: Anomaly[];
}

export const emptyRecord = (): StepRecord => ({
  events: [],
  landings: [],
  calls: [],
  snapshots: [],
  snapshotsRefused: 0,
  requests: [],
  polls: [],
  remoteCancels: [],
  provider: [],
  hooks: 0,
  tools: [],
  signals: 0,
  reads: [],
  wrong: [],
  anomalies: [],
});

export const providerFact = (event: AssistantMessageEvent): ProviderFact => ({
  type: event.type,
  contentIndex: "contentIndex" in event ? event.contentIndex : undefined,
});
