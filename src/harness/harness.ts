/** The harness: the one driver of a session (O3). It hands out lanes and passes events on. */
import type { OperationResultRecord } from "../durable/operation.ts";
import type { HarnessFault } from "../errors.ts";
import type { SessionCore, SessionOwner } from "../session/core.ts";
import { coreOf } from "../session/session.ts";
import { planLane } from "./calls/setup-lane.ts";
import { Lane } from "./lane.ts";
import type { Listener } from "./listening/events.ts";
import { EventHub } from "./listening/hub.ts";
import type { HarnessOptions } from "./options.ts";
import { KeptTranscripts } from "./reading/kept-transcripts.ts";
import { assertPatience } from "./state/patience.ts";
import { assertRetryPolicy } from "./state/retry-policy.ts";
import { LaneRuntime } from "./state/runtime.ts";
import type { HarnessScope } from "./state/scope.ts";
import { assertToolPolicy } from "./state/tool-policy.ts";

/** Drives the operations of one session. A session has one harness at most (O3). */
export class Harness {
  readonly #scope: HarnessScope;
  readonly #runtimes = new Map<string, LaneRuntime>();
  readonly #ending = new AbortController();

  /** Use `openHarness`. */
  constructor(options: HarnessOptions) {
    const core: SessionCore = coreOf(options.session);
    const hub = new EventHub();
    this.#scope = { core, hub, options, transcripts: new KeptTranscripts(), ended: this.#ending.signal };
    core.attach(this.#asOwner());
    if (options.onEvent !== undefined) hub.subscribe(options.onEvent);
  }

  /** Why the harness stopped (K2). */
  get fault(): HarnessFault | undefined {
    return this.#scope.core.fault;
  }

  /** The lane of that name, set up when it is new. Reads scalars only and starts nothing (E1). */
  lane(name: string): Promise<Lane> {
    const { core, options } = this.#scope;
    return core.call(async () => {
      await core.transact(name, (view, turn) => planLane(name, options, view, turn));
      return new Lane(this.#runtime(name));
    });
  }

  /** Subscribes to the events of all lanes from now on; the answer ends it. */
  on(listener: Listener): () => void {
    const { hub } = this.#scope;
    const subscriber = hub.subscribe(listener);
    return () => hub.unsubscribe(subscriber);
  }

  /** Closes the session as a controlled crash (K1). Idempotent. */
  close(): Promise<void> {
    return this.#scope.core.close();
  }

  #runtime(name: string): LaneRuntime {
    const known = this.#runtimes.get(name) ?? new LaneRuntime(name, this.#scope);
    this.#runtimes.set(name, known);
    return known;
  }

  #asOwner(): SessionOwner {
    const { hub } = this.#scope;
    return {
      faulted: (error) => {
        this.#stop();
        void hub.emit({ type: "fault", error });
      },
      closed: () => {
        hub.close();
        this.#stop();
      },
      finalized: (lane, result) => this.#finalized(lane, result),
    };
  }

  #finalized(lane: string, result: OperationResultRecord): void {
    const drive = this.#runtimes.get(lane)?.drive;
    drive?.finish({ kind: "settled", result });
    drive?.pull();
    void this.#scope.hub.emit({ type: "operation_end", lane, operationId: result.operationId, result });
  }

  #stop(): void {
    this.#ending.abort();
    for (const { drive } of this.#runtimes.values()) drive?.stop();
  }
}

/**
 * Opens the one harness of a session (O3). It starts nothing.
 *
 * @throws {SessionInUse} when the session has a harness.
 * @throws {Closed | HarnessFault} when the session has ended.
 * @throws {TypeError} when the retry policy, the tool policy or a time makes no sense.
 */
export async function openHarness(options: HarnessOptions): Promise<Harness> {
  assertRetryPolicy(options);
  assertToolPolicy(options);
  assertPatience(options);
  return new Harness(options);
}
