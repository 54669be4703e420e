/**
 * What is around one harness and outlives its processes: the store, the clock, ids, and what is written down of each step. It
 * performs one action at a time; it knows no machine.
 */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { type Call, type CallOutcome, callOutcomes, type DefectKind, type StreamEnd } from "../../machines/index.ts";
import type { CommitResult, Storage, Write } from "../../src/index.ts";
import type { ActivateOptions, Adapter, Answer, Incarnation, ObservedSnapshot, Way } from "../adapters/adapter.ts";
import type { Sayings } from "../contents/beat.ts";
import { inventedSayings } from "../contents/catalogue.ts";
import { committedContent, updateFrame } from "../contents/saying.ts";
import { type Anomaly, anomaly, anomalyOf } from "./anomalies.ts";
import { Audience, type AudienceHost, type AudienceRecord, emptyAudienceRecord } from "./audience.ts";
import { bounded } from "./bounded.ts";
import { VirtualClock } from "./clock.ts";
import { nameOfCommit } from "./commit-names.ts";
import {
  type DurableObservation,
  lastEnded,
  observeDurable,
  operationScalars,
  pendingLists,
  plannedCallsIn,
} from "./durable.ts";
import { type Arrived, GatedStorage, type StoreRead } from "./gated-storage.ts";
import { SequentialIds } from "./ids.ts";
import { Interpreter } from "./interpreter.ts";
import { landingFact } from "./landing-fact.ts";
import { type Asked, OpenPromises } from "./open-promises.ts";
import { passThrough } from "./outside-store.ts";
import { type Gates, Process, type ProcessHost, type Seen } from "./process.ts";
import type { ScriptedStream } from "./provider.ts";
import { compareStore } from "./read-back.ts";
import { frameAt, type RequestScript } from "./script.ts";
import { emptyRecord, type StepRecord } from "./step-record.ts";
import { Tampering } from "./tampering.ts";
import { judgeTransaction } from "./values/judge-transaction.ts";
import { type Said, Transaction } from "./values/transaction.ts";
import { Witness } from "./values/witness.ts";

const isOwnedByOperation = (namespace: string): boolean =>
  namespace.startsWith("pi.op.") || namespace.startsWith("pi.pending.");

/** The world around one harness: what the checker drives and looks at. */
export class World implements AudienceHost, ProcessHost {
  readonly adapter: Adapter;
  /** What the provider says. */
  readonly sayings: Sayings;
  readonly clock = new VirtualClock();
  readonly durable = new Interpreter();
  record = emptyRecord();
  audienceRecord = emptyAudienceRecord();
  /** Grows whenever the harness touches the world; quiescence is its rest. */
  activity = 0;
  /** Which request streams into which response. */
  readonly requestOf = new Map<string, number>();
  /** What each request says. */
  readonly scripts = new Map<number, RequestScript>();
  /** The last provider message of each request, before any hook. */
  readonly finalMessages = new Map<number, AssistantMessage>();
  /** Promises that the application still holds. */
  readonly promises = new OpenPromises();
  readonly ids = new SequentialIds();
  /** What somebody else does to the frame list while no process is up. */
  readonly tampering: Tampering;
  readonly witness = new Witness(() => ({ durable: this.durable, wrong: this.record.wrong }));
  readonly maxAttempts: number;
  readonly #inner: Storage;
  #process: Process | undefined;
  /** Number of the last request. */
  #requests: number;
  #prompts = 0;
  /** What the application has said, for as long as no acceptance of it has landed. */
  readonly #unheard = new Set<string>();

  /** @param requestsBefore where the numbers of requests begin, so that two worlds of one harness tell theirs apart. */
  constructor(adapter: Adapter, inner: Storage, maxAttempts: number, requestsBefore = 0, sayings = inventedSayings) {
    this.sayings = sayings;
    this.adapter = adapter;
    this.#inner = inner;
    this.maxAttempts = maxAttempts;
    this.#requests = requestsBefore;
    const requestOf = (response: string): number => this.requestOf.get(response) ?? 0;
    this.tampering = new Tampering(inner, this.durable, (response, at) => frameAt(requestOf(response), at, sayings));
  }

  // --- what the driver looks at -------------------------------------------------------------------------------------

  get gate(): GatedStorage | undefined {
    return this.#process?.gate;
  }

  get gates(): Readonly<Gates> | undefined {
    return this.#process?.gates;
  }

  get openStoreCalls(): number {
    return this.#process?.gate.openCalls ?? 0;
  }

  observeDurable(): DurableObservation {
    return observeDurable(this.durable);
  }

  /** Hand over what was written down since the last call. */
  takeRecord(): StepRecord {
    const { record } = this;
    this.record = emptyRecord();
    return record;
  }

  /** Hand over what listeners beside the application's own got and did since the last call. */
  takeAudienceRecord(): AudienceRecord {
    const { audienceRecord } = this;
    this.audienceRecord = emptyAudienceRecord();
    return audienceRecord;
  }

  /** Whether the signals of the hook and of the tools that run were pulled, as far as they were given any (F5). */
  get heldSignals(): readonly boolean[] {
    return this.#process?.heldSignals ?? [];
  }

  /** Whether the application's own listener has been called and has not returned. */
  get listenerHeld(): boolean {
    return this.#process?.listenerHeld ?? false;
  }

  // --- processes ----------------------------------------------------------------------------------------------------

  /** Start a process over the same store; the one before it is gone. */
  async boot(): Promise<void> {
    this.kill();
    const process = this.#newProcess();
    this.#process = process;
    const surroundings = process.surroundings(process.gate.asStorage());
    process.harness = await bounded("boot", this.adapter.boot(surroundings));
  }

  /** The process is gone: never answered again, and whatever it still does is a leak. */
  kill(): void {
    const process = this.#process;
    if (process === undefined) return;
    process.end();
    this.witness.forget();
    this.clock.forget();
    this.promises.clear();
    this.#process = undefined;
  }

  #newProcess(): Process {
    const newGate = (seen: Seen): GatedStorage =>
      new GatedStorage(this.#inner, {
        nameOf: (writes) => nameOfCommit(writes, this.durable, seen),
        landed: (commit, result) => this.#landed(commit, result),
        now: () => this.clock.now(),
        refused: (name, error) => this.note(anomaly("the store refused a commit", `${name}: ${error.message}`)),
        reads: (read) => this.#noteRead(read),
        leaked: () => this.note(anomaly("a process that is gone still uses its store")),
        activity: () => this.touched(),
      });
    return new Process(this, new Audience(this), newGate);
  }

  #noteRead(read: StoreRead): void {
    const asking = this.promises.count("snapshot") + (this.#process?.audience.asking ?? 0);
    const pending = pendingLists(this.durable);
    const isOfPending = pending.length === 0 || pending.includes(read.key ?? "");
    this.record.reads.push({ ...read, forReader: asking > 0, isOfPending });
  }

  async #landed({ name, writes, arrivedMs }: Arrived, result: CommitResult): Promise<void> {
    try {
      const transaction = new Transaction(name, writes, this.durable, this.#said, arrivedMs);
      const wrong = judgeTransaction(transaction);
      this.witness.landed(transaction);
      if (wrong !== undefined) this.record.wrong.push(wrong);
      const before = plannedCallsIn(this.durable);
      this.durable.apply(writes, result);
      this.#noteLeftOvers(writes);
      this.record.landings.push(landingFact(name, writes, this.durable, before));
      await compareStore(this.#inner, this.durable, writes);
    } catch (error) {
      this.note(anomalyOf(error));
    }
  }

  /** What an ended operation owned is gone with it (O2, N12). */
  #noteLeftOvers(writes: readonly Write[]): void {
    if (!writes.some((write) => write.kind === "value" && write.namespace === "pi.result")) return;
    for (const { namespace, key } of this.durable.values(isOwnedByOperation)) {
      this.record.wrong.push({ requirement: "O2", place: namespace, path: "", expected: "absent", actual: key });
    }
  }

  /** What rows are predicted from. */
  get #said(): Said {
    return {
      committed: (response, frames) => {
        const request = this.requestOf.get(response);
        const start = this.scripts.get(request ?? 0)?.partial;
        const readable = this.tampering.readable(response, frames);
        const content = request === undefined ? undefined : committedContent(this.sayings(request), readable);
        return start === undefined || content === undefined ? undefined : { start, content };
      },
      frame: (response, position) => {
        const request = this.requestOf.get(response);
        const script = request === undefined ? undefined : this.scripts.get(request);
        if (script === undefined) return undefined;
        if (position > 1) return updateFrame(this.sayings(script.request), position);
        return { type: "start", partial: { ...script.asStored(script.partial), content: [] } };
      },
      final: (response) => this.finalMessages.get(this.requestOf.get(response) ?? 0),
      partial: (response) => this.scripts.get(this.requestOf.get(response) ?? 0)?.partial,
      unheard: this.#unheard,
      maxAttempts: this.maxAttempts,
    };
  }

  // --- calls of the application -------------------------------------------------------------------------------------

  accept(): void {
    if (operationScalars(this.durable) === undefined) this.#process?.forgetWaiting();
    const prompt = `prompt ${++this.#prompts}`;
    this.#unheard.add(prompt);
    this.#call("accept", (harness) => harness.accept(prompt));
  }

  activate(options: ActivateOptions): void {
    this.#call("activate", (harness) => harness.activate(options));
  }

  cancel(): void {
    this.#call("cancel", (harness) => harness.cancel());
  }

  /** A cancel that comes late: it names the operation before the open one (Q7). */
  cancelAnother(): void {
    const named = lastEnded(this.durable) ?? this.ids.next(this.clock.now());
    this.#call("cancel", (harness) => harness.cancel(named));
  }

  /** Whether the harness does what this requirement asks for, where another may do otherwise (section Q). */
  serves(requirement: Way): boolean {
    return this.adapter.serves?.includes(requirement) ?? false;
  }

  finalize(): void {
    this.#call("finalize", (harness) => harness.finalize());
  }

  get closing(): boolean {
    return this.#process?.closing ?? false;
  }

  close(): void {
    if (this.#process !== undefined) this.#process.closing = true;
    this.#call("close", (harness) => harness.close());
  }

  /** An outside party ends the operation on the storage; no process holds the session. */
  async finalizeOffline(): Promise<void> {
    const process = this.#newProcess();
    const storage = passThrough(this.#inner, (writes, result) =>
      this.#landed(
        { name: nameOfCommit(writes, this.durable, process.seen), writes, arrivedMs: this.clock.now() },
        result,
      ),
    );
    const outcome = await this.adapter.finalizeOffline(process.surroundings(storage));
    process.end();
    this.record.calls.push({ call: "finalize", outcome });
    this.activity++;
  }

  /** A reader takes a snapshot, and another one stays to be told what comes after (I5). */
  snapshot(): void {
    const process = this.#process;
    const harness = process?.harness;
    if (process === undefined || harness === undefined) throw new Error("No process to take a snapshot of");
    const shows = (snapshot: ObservedSnapshot) =>
      this.record.snapshots.push({ ...snapshot, behind: process.isBehind(snapshot) });
    this.#follow("snapshot", harness.snapshot(), shows);
    this.#follow("snapshot", process.audience.watch(harness), shows);
  }

  /**
   * Somebody may want to be told from the very moment on at which the next action is performed (I5). One does for certain
   * where an outside party has ended the operation and the process does not know it yet (K3).
   */
  admitLatecomer(): void {
    const { harness, audience, gate } = this.#process ?? {};
    const [head] = gate?.parked ?? [];
    if (harness !== undefined) audience?.admitLatecomer(harness, head?.landed === true && head.name === "finalize");
  }

  #call(call: Call, issue: (harness: Incarnation) => Promise<CallOutcome | Answer>): void {
    const harness = this.#process?.harness;
    if (harness === undefined) throw new Error(`No process to ${call}`);
    this.#follow(call, issue(harness), (answer) => {
      const { outcome, ...told } = typeof answer === "string" ? { outcome: answer } : answer;
      if (!callOutcomes.includes(outcome))
        this.promises.nonsense = `the adapter answered ${call} with ${JSON.stringify(answer)}`;
      this.witness.answered(call, told);
      this.record.calls.push({ call, outcome });
    });
  }

  #follow<T>(what: Asked, promise: Promise<T>, settled: (value: T) => void): void {
    const process = this.#process;
    this.promises.follow(what, promise, {
      isAlive: () => process?.alive === true,
      touched: () => this.touched(),
      settled,
      rejected: (error) => {
        if (what === "snapshot") this.record.snapshotsRefused++;
        else this.note(anomaly("a call rejected with an untyped error", `${what}: ${String(error)}`));
      },
    });
  }

  // --- provider, listeners, hooks, tools, time ------------------------------------------------------------------------

  /** The stream that waits for its next event, if one does. */
  get pulledStream(): ScriptedStream | undefined {
    const stream = this.#process?.gates.stream;
    return stream?.pulled === true ? stream : undefined;
  }

  endStream(end: StreamEnd): void {
    const stream = this.pulledStream as ScriptedStream;
    this.finalMessages.set(stream.script.request, stream.script.asStored(stream.finish(end)));
  }

  defect(kind: DefectKind): void {
    const stream = this.pulledStream as ScriptedStream;
    this.finalMessages.set(stream.script.request, stream.script.asStored(stream.defect(kind)));
  }

  /** Open a gate; answers whether something waited there. */
  release(gate: "listener" | "hook"): boolean {
    return this.#process?.release(gate) ?? false;
  }

  /** A call of this tool returns; answers whether one ran. */
  returnTool(tool: string): boolean {
    return this.#process?.returnTool(tool) ?? false;
  }

  /** Step the clock to the `notBefore` that the durable state names (O4). */
  async tick(): Promise<void> {
    const notBefore = operationScalars(this.durable)?.notBefore;
    if (notBefore !== undefined) await this.clock.stepTo(notBefore);
    this.activity++;
  }

  /** An error that nobody awaited while this world was driven. */
  stray(error: unknown): void {
    this.note(anomaly("an error that nobody awaits", error instanceof Error ? error.message : String(error)));
  }

  /** The harness has touched the world: its rest is quiescence. */
  touched(): void {
    this.activity++;
  }

  nextRequest(): number {
    return ++this.#requests;
  }

  note(found: Anomaly): void {
    this.activity++;
    this.record.anomalies.push(found);
  }
}
