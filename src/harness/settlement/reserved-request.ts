/** What was asked for a reserved response: the one place that tells an attempt from a poll (D5). */
import type { LaneConfiguration, StreamOptions } from "../../durable/operation.ts";
import type { EffectPending, GenerationContext } from "../../durable/state.ts";

/** The request behind a reserved response. */
export interface ReservedRequest {
  readonly stepId: string;
  readonly configuration: LaneConfiguration;
  readonly streamOptions: StreamOptions;
  /** Absent for a poll, whose error is terminal. */
  readonly generation: { readonly context: GenerationContext; readonly attempt: number } | undefined;
  /** The number that a suspension gets: 0, or that of the poll. */
  readonly poll: number;
}

/** The request that reserved a response, read from the state that reserves it. */
export function requestOf(state: EffectPending): ReservedRequest {
  if (state.at === "deferred.effect_pending") {
    const { stepId, configuration, streamOptions, poll } = state;
    return { stepId, configuration, streamOptions, generation: undefined, poll };
  }
  const { generationContext: context, attempt } = state;
  const { stepId, configuration, streamOptions } = context;
  return { stepId, configuration, streamOptions, generation: { context, attempt }, poll: 0 };
}
