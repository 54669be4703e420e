/** One process that holds the session with pi's harness: the abstract calls, mapped to pi's public API. */
import type { AgentHarness, AgentLane, Session } from "@earendil-works/pi-agent-core";
import type { CallOutcome } from "../../machines/index.ts";
import type { Entry } from "../../src/index.ts";
import type { Incarnation, ObservedSnapshot } from "./adapter.ts";
import { finalizeOperation } from "./pi-finalization.ts";
import { driveOutcome, recordOutcome, settled, unwrap } from "./pi-outcomes.ts";
import type { Pi } from "./pi-package.ts";

export class PiIncarnation implements Incarnation {
  readonly #pi: Pi;
  readonly #session: Session;
  readonly #harness: AgentHarness;
  readonly #lane: AgentLane;
  /** The operation that pi told us is open; pi's calls want it named. */
  #open: string | undefined;

  constructor(pi: Pi, session: Session, harness: AgentHarness, lane: AgentLane, open: string | undefined) {
    this.#pi = pi;
    this.#session = session;
    this.#harness = harness;
    this.#lane = lane;
    this.#open = open;
    harness.events.on("run_end", () => {
      this.#open = undefined;
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

  activate({ wait }: { readonly wait: boolean }): Promise<CallOutcome> {
    return settled(this.#pi, async () => {
      if (this.#open === undefined) return this.#resume();
      const options = { operationId: this.#open, waitForRetry: wait, pollDeferred: false };
      return unwrap(await this.#lane.drive(options, this.#pi.BACKGROUND_CONTEXT), driveOutcome);
    });
  }

  cancel(): Promise<CallOutcome> {
    return settled(this.#pi, async () => {
      const context = this.#pi.BACKGROUND_CONTEXT;
      if (this.#open === undefined) return unwrap(await this.#lane.abort(context), () => "ok");
      return unwrap(await this.#lane.requestAbort(this.#open, context), () => "ok");
    });
  }

  finalize(): Promise<CallOutcome> {
    return settled(this.#pi, () => finalizeOperation(this.#pi, this.#session));
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
    const { operation, transcript } = watcher.snapshot;
    watcher.unsubscribe();
    return {
      open: operation !== null,
      // pi's entries differ from this project's only in that an application may add message types of its own.
      transcript: transcript as readonly Entry[],
      streamingMessage: operation?.streamingMessage,
    };
  }

  /** What an application calls that knows of no open operation: pi refuses, or finds one that it did not tell of. */
  async #resume(): Promise<CallOutcome> {
    return unwrap(await this.#lane.resume(this.#pi.BACKGROUND_CONTEXT), (run) =>
      run.status === "suspended" ? "waiting" : recordOutcome(run),
    );
  }
}
