/** A harness that streams one answer onto a disk that may fail. */
import type { HarnessFault } from "../../errors.ts";
import { type Harness, openHarness } from "../../harness/harness.ts";
import type { Lane } from "../../harness/lane.ts";
import type { HarnessEvent } from "../../harness/listening/events.ts";
import type { IdSource } from "../../session/ids.ts";
import { Session } from "../../session/session.ts";
import type { Storage } from "../../storage/contract/storage.ts";
import { FakeProvider, ManualClock, quiet } from "../harness/fakes.ts";
import { bursts } from "./answer.ts";
import { Journal } from "./journal.ts";
import { type Life, type Told, type ToldFault, toldError } from "./life.ts";

/** The timestamp of every commit, so that stores that hold the same are equal. */
export const committedAt = 7;

/** Where the clock of every process stands at first, and the rule for its attempts. */
export const startMs = 1_000;
export const retryPolicy = { maxAttempts: 3, baseDelayMs: 100 };

/** What a test does with the disk while the answer streams. */
export interface OnDisk {
  /** The next operation of the disk is for the first frame. */
  armed(): void;
  /** In front of each burst, counted from 0; what it begins goes on while the burst streams. */
  beforeBurst?(index: number): void;
}

/** A harness that streams one answer onto a store, and all that its callers are told. */
export class Streaming {
  readonly journal: Journal;
  readonly provider = new FakeProvider();
  readonly #calls: Promise<Told>[] = [];
  readonly #later: Promise<Told>[] = [];
  readonly #events: HarnessEvent[] = [];
  readonly #watched: HarnessEvent[] = [];
  #hookRuns = 0;
  #handedAtFault = Number.POSITIVE_INFINITY;
  #harness: Harness | undefined;
  #lane: Lane | undefined;

  constructor(storage: Storage) {
    this.journal = new Journal(storage);
  }

  /**
   * From the prompt to the end of the operation or of the harness. Closes neither the harness nor the store.
   *
   * @throws {HarnessFault} when the disk fails before the first frame.
   */
  async run(onDisk: OnDisk): Promise<Life> {
    await this.#open();
    const { operationId } = await this.lane.accept({ prompt: "Hi" });
    const requested = this.provider.nextRequest();
    const activation = this.#told(this.lane.activate());
    await Promise.race([requested, activation]);
    if (this.harness.fault !== undefined) throw this.harness.fault;
    await this.journal.idle();
    onDisk.armed();
    for (const [index, burst] of bursts().entries()) {
      onDisk.beforeBurst?.(index);
      await this.provider.last.push(...burst);
      await this.journal.idle();
    }
    await activation;
    if (this.harness.fault !== undefined) this.#callAgain(operationId);
    await quiet();
    return this.#life(operationId, await activation);
  }

  /** What comes of closing the harness. */
  close(): Promise<Told> {
    return this.#told(this.harness.close());
  }

  get harness(): Harness {
    if (this.#harness === undefined) throw new Error("Nothing was opened");
    return this.#harness;
  }

  get lane(): Lane {
    if (this.#lane === undefined) throw new Error("Nothing was opened");
    return this.#lane;
  }

  async #open(): Promise<void> {
    const session = new Session(this.journal.storage, { clock: new ManualClock(startMs), ids: idsOf("first") });
    this.#harness = await openHarness({
      session,
      models: this.provider,
      model: { provider: "fake", modelId: "small" },
      retryPolicy,
      hooks: { afterResponse: () => void this.#hookRuns++ },
      onEvent: (event) => this.#listen(event),
    });
    this.#lane = await this.#harness.lane("main");
    (await this.#lane.watch()).start((event) => void this.#watched.push(event));
  }

  #listen(event: HarnessEvent): void {
    this.#events.push(event);
    if (event.type === "fault") this.#handedAtFault = this.journal.transactions.length;
    if (this.#isEndOfBurst(event)) this.#call();
  }

  /** Three events each, of which the very first is the start. */
  #isEndOfBurst(event: HarnessEvent): boolean {
    if (event.type !== "message_update") return false;
    return this.#events.filter(({ type }) => type === "message_update").length % 3 === 2;
  }

  /** Calls that wait for the frames that are on their way. */
  #call(): void {
    this.#calls.push(this.#told(this.lane.snapshot()), this.#told(this.lane.result("none")));
  }

  #callAgain(operationId: string): void {
    const { lane, harness } = this;
    const calls = [
      lane.accept({ prompt: "More" }),
      lane.activate(),
      lane.cancel(),
      lane.snapshot(),
      lane.watch(),
      lane.result(operationId),
      lane.summarize(),
      harness.lane("other"),
    ];
    for (const call of calls) this.#later.push(this.#told(call));
  }

  #told(call: Promise<unknown>): Promise<Told> {
    return call.then(
      () => ({ kind: "answered" }),
      (error: unknown) =>
        error === this.#harness?.fault ? { kind: "faulted" } : { kind: "refused", ...toldError(error) },
    );
  }

  async #life(operationId: string, activation: Told): Promise<Life> {
    const { transactions, acknowledged } = this.journal;
    return {
      operationId,
      transactions,
      acknowledged,
      activation,
      calls: await Promise.all(this.#calls),
      later: await Promise.all(this.#later),
      fault: toldFault(this.harness.fault),
      faultEvents: { listener: faultsIn(this.#events), watcher: faultsIn(this.#watched) },
      handedAfterFault: Math.max(0, transactions.length - this.#handedAtFault),
      signalPulled: this.provider.last.signal?.aborted === true,
      hookRuns: this.#hookRuns,
      entriesAdded: this.#events.flatMap((event) => (event.type === "entry_added" ? [event.entry.id] : [])),
    };
  }
}

/** Ids of one process, none of which another one makes. */
export function idsOf(processName: string): IdSource {
  let count = 0;
  return { next: () => `${processName}-${++count}` };
}

const faultsIn = (events: readonly HarnessEvent[]) => events.filter(({ type }) => type === "fault").length;

function toldFault(fault: HarnessFault | undefined): ToldFault | undefined {
  if (fault === undefined) return undefined;
  const cause = fault.cause as Error & { path?: string };
  return {
    ...toldError(fault),
    cause: { ...toldError(cause), path: cause.path ?? "", cause: toldError(cause.cause) },
  };
}
