/** What this process knows of a lane beyond its durable state: its drive and its pending cancels. */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { isCancelled } from "../../durable/state.ts";
import type { LaneView } from "../../session/lane-view.ts";
import type { ActivationOutcome } from "../options.ts";
import type { HarnessScope } from "./scope.ts";

/** The response that this process is generating. */
export interface LiveResponse {
  /** The growing message of the provider, ahead of the events (B6). Shared: a snapshot copies it, an event never does. */
  partial: AssistantMessage | undefined;
}

/** What the rest of a lane needs of the drive of its operation. */
export interface RunningDrive {
  /** The activations that wait for it (O3). */
  readonly attendance: { join(waitForRetry: boolean): Promise<ActivationOutcome> };
  /** Present while this process owns a provider stream (I1). */
  readonly live: LiveResponse | undefined;
  /** Ends the drive with an outcome. */
  finish(outcome: ActivationOutcome): void;
  /** Ends the drive without an outcome, because the session ended (K1, K2). */
  stop(): void;
  /** Pulls the signal. */
  pull(): void;
}

/** What this process knows of one lane beyond its durable state. */
export class LaneRuntime {
  readonly name: string;
  readonly scope: HarnessScope;
  /** The drive of the open operation, when this process drives it (O3). */
  drive: RunningDrive | undefined;
  /** Calls to cancel that are not replied. */
  pendingCancels = 0;
  /** The call to cancel that is under way, and the operation that it names. */
  cancelling: { readonly named: string | undefined; readonly done: Promise<{ operationId: string }> } | undefined;

  constructor(name: string, scope: HarnessScope) {
    this.name = name;
    this.scope = scope;
  }

  /** The lane as replied. */
  get view(): LaneView | undefined {
    return this.scope.core.view(this.name);
  }

  /** From the call to cancel on: no hook, request or retry starts (F1). */
  get cancelRequested(): boolean {
    if (this.pendingCancels > 0) return true;
    const operation = this.view?.operation;
    return operation !== undefined && isCancelled(operation.state);
  }
}
