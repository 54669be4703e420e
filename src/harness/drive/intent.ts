/** The intent transaction: reserves the ids of a response before its request is sent. */
import type { Api, Model } from "@earendil-works/pi-ai";
import { operationState } from "../../addresses/builtins.ts";
import type { LaneConfiguration } from "../../durable/operation.ts";
import type { EffectPending } from "../../durable/state.ts";
import type { Plan } from "../../session/core.ts";
import type { LaneView, Operation } from "../../session/lane-view.ts";
import type { Outcome } from "../../session/terminal.ts";
import { setValue, type Write } from "../../storage/contract/writes.ts";
import type { ActivationOutcome } from "../options.ts";
import type { Drive } from "./drive.ts";

/** A request that is not sent yet, with the durable state that reserves its response. */
interface Reserved {
  readonly intent: EffectPending;
}

/** What an intent transaction came to: a request to send, or the end of the operation instead of it. */
export type Begun<R> =
  | { readonly kind: "request"; readonly request: R }
  | { readonly kind: "ended"; readonly outcome: ActivationOutcome };

/** The intent reserves the ids before a request is sent; `cleanup` goes into the same transaction. */
export function planIntent<R extends Reserved>(
  drive: Drive,
  view: LaneView,
  operation: Operation,
  request: R,
  cleanup: readonly Write[] = [],
): Plan<Begun<R>> {
  const { intent } = request;
  return {
    writes: [...cleanup, setValue(operationState(drive.operationId), intent)],
    next: { ...view, operation: { ...operation, state: intent } },
    replied: () => {
      // After a cancel this process owns no stream (F1).
      if (!drive.lane.cancelRequested) drive.live = { partial: undefined };
      return { kind: "request", request };
    },
  };
}

/** Ends the operation instead of beginning anything. */
export function planEndInstead(
  drive: Drive,
  view: LaneView,
  operation: Operation,
  outcome: Outcome,
): Plan<Begun<never>> {
  const { writes, next, replied } = drive.planEnd(view, operation, outcome);
  return { writes, next, replied: (commit) => ({ kind: "ended", outcome: replied(commit) }) };
}

/** The model of a captured configuration, when it is still known. A provider that throws knows none (Q6). */
export function modelOf(drive: Drive, { model }: LaneConfiguration): Model<Api> | undefined {
  try {
    return drive.scope.options.models.getModel(model.provider, model.modelId);
  } catch (error) {
    void drive.scope.hub.emit({ type: "listener_error", kind: "provider", error, during: "getModel" });
    return undefined;
  }
}

/** How an operation ends whose model is not known any more. */
export function unknownModel({ model }: LaneConfiguration): Outcome {
  const message = `There is no model ${model.provider}/${model.modelId}`;
  return { status: "failed", error: { code: "unknown_model", message } };
}
