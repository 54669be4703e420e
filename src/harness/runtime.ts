import { isCancelled } from "../durable/state.ts";
import type { LaneView } from "../session/lane-view.ts";
import type { Drive } from "./drive.ts";
import type { HarnessScope } from "./scope.ts";

/** What this process knows of one lane beyond its durable state. */
export class LaneRuntime {
  readonly name: string;
  readonly scope: HarnessScope;
  /** The drive of the open operation, when this process drives it (O3). */
  drive: Drive | undefined;
  /** Calls to cancel that are not replied. */
  pendingCancels = 0;

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
