/** What all parts of one harness share, and what a generation captures of it (O4). */
import type { StreamOptions } from "../../durable/operation.ts";
import type { GenerationContext, RunSettings } from "../../durable/state.ts";
import type { SessionCore } from "../../session/core.ts";
import type { LaneView } from "../../session/lane-view.ts";
import type { EventHub } from "../listening/hub.ts";
import type { HarnessOptions } from "../options.ts";
import type { KeptTranscripts } from "../reading/kept-transcripts.ts";
import { retryPolicyOf } from "./retry-policy.ts";
import { toolPolicyOf } from "./tool-policy.ts";

/** What the parts of one harness share. */
export interface HarnessScope {
  readonly core: SessionCore;
  readonly hub: EventHub;
  readonly options: HarnessOptions;
  readonly transcripts: KeptTranscripts;
  /** Pulled when the session ends, by a close or a fault (K1, K2). */
  readonly ended: AbortSignal;
}

/** The settings that each run gets. Compaction and queued input are outside this project. */
export function runSettingsOf(options: Pick<HarnessOptions, "toolPolicy">): RunSettings {
  return {
    compaction: { enabled: false, reserveTokens: 0, keepRecentTokens: 0 },
    steeringMode: "one-at-a-time",
    followUpMode: "one-at-a-time",
    toolExecution: toolPolicyOf(options).execution,
  };
}

const streamOptions: StreamOptions = {};

/** Captures what the next generation is asked with; its retry rule holds for all its attempts (O4). */
export function captureGeneration(scope: HarnessScope, view: LaneView, triggerEntryId: string): GenerationContext {
  return {
    stepId: scope.core.ids.next(scope.core.clock.now()),
    triggerEntryId,
    configuration: view.config,
    streamOptions,
    retryPolicy: retryPolicyOf(scope.options),
    overflowRecoveryUsed: false,
  };
}
