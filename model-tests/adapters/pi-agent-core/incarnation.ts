/** One process that holds the session with pi's harness: the abstract calls, mapped to pi's public API. */
import type { AgentHarness, AgentLane, LaneSnapshot, Session } from "@earendil-works/pi-agent-core";
import type { CallOutcome } from "../../../machines/index.ts";
import type { Entry } from "../../../src/index.ts";
import type { ActivateOptions, Incarnation, ObservedEvent, ObservedSnapshot } from "../adapter.ts";
import type { Observe } from "./events.ts";
import { finalizeOperation } from "./finalization.ts";
import { driveOutcome, recordOutcome, settled, unwrap } from "./outcomes.ts";
import type { Pi } from "./package.ts";

export class PiIncarnation implements Incarnation {
  readonly #pi: Pi;
  readonly #session: Session;
  readonly #harness: AgentHarness;
  readonly #lane: AgentLane;
  readonly #observe: Observe;
  /** The operation that pi told us is open; pi's calls want it named. */
  #open: string | undefined;

  constructor(
    pi: Pi,
    session: Session,
    harness: AgentHarness,
    lane: AgentLane,
    observe: Observe,
    open: string | undefined,
  ) {
    this.#pi = pi;
    this.#session = session;
    this.#harness = harness;
    this.#lane = lane;
    this.#observe = observe;
    this.#open = open;
    harness.events.on("run_end", (event) => {
      if (event.lane === lane.name) this.#open = undefined;
    });
  }

  accept(prompt: string): Promise<CallOutcome> {
    return settled(this.#pi, async () => {
      const admission = await this.#lane.accept({ kind: "prompt", prompt }, this.#pi.BACKGROUND_CONTEXT);
      return unwrap(admission, ({ operationId }) => {
        this.#open = operationId;
        return "ok";
      });
    });
  }

  activate({ wait, permit }: ActivateOptions): Promise<CallOutcome> {
    return settled(this.#pi, async () => {
      if (this.#open === undefined) return this.#resume();
      const options = { operationId: this.#open, waitForRetry: wait, pollDeferred: permit };
      return unwrap(await this.#lane.drive(options, this.#pi.BACKGROUND_CONTEXT), driveOutcome);
    });
  }

  cancel(operationId = this.#open): Promise<CallOutcome> {
    return settled(this.#pi, async () => {
      const context = this.#pi.BACKGROUND_CONTEXT;
      if (operationId === undefined) return unwrap(await this.#lane.abort(context), () => "ok");
      return unwrap(await this.#lane.requestAbort(operationId, context), () => "ok");
    });
  }

  finalize(): Promise<CallOutcome> {
    return settled(this.#pi, () => finalizeOperation(this.#pi, this.#session, this.#lane.name));
  }

  /** Closing the harness closes its session and the store with it. */
  close(): Promise<CallOutcome> {
    return settled(this.#pi, async () => {
      await this.#harness.close(this.#pi.BACKGROUND_CONTEXT);
      return "ok";
    });
  }

  async snapshot(): Promise<ObservedSnapshot> {
    const watcher = await this.#lane.watch(this.#pi.BACKGROUND_CONTEXT);
    watcher.unsubscribe();
    return observedSnapshot(watcher.snapshot);
  }

  async watch(listener: (event: ObservedEvent) => Promise<void> | undefined): Promise<ObservedSnapshot> {
    const watcher = await this.#lane.watch(this.#pi.BACKGROUND_CONTEXT);
    watcher.start((event) => {
      const observed = this.#observe(event);
      return observed === undefined ? undefined : listener(observed);
    });
    return observedSnapshot(watcher.snapshot);
  }

  /** What an application calls that knows of no open operation: pi refuses, or finds one that it did not tell of. */
  async #resume(): Promise<CallOutcome> {
    return unwrap(await this.#lane.resume(this.#pi.BACKGROUND_CONTEXT), (run) =>
      run.status === "suspended" ? "suspended" : recordOutcome(run),
    );
  }
}

const observedSnapshot = ({ operation, transcript }: LaneSnapshot): ObservedSnapshot => ({
  open: operation !== null,
  operationId: operation?.id,
  // pi's entries differ from this project's only in that an application may add message types of its own.
  transcript: transcript as readonly Entry[],
  streamingMessage: operation?.streamingMessage,
});
