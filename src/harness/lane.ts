/** The calls of one lane. Each promise settles with its work, or with the end of the session (K1, K2). */
import { operationResult } from "../addresses/builtins.ts";
import type { BranchSummaryEntry } from "../durable/entries.ts";
import { frozenCopy } from "../durable/json.ts";
import type { OperationResultRecord } from "../durable/operation.ts";
import { NoOpenOperation } from "../errors.ts";
import { assertDepth } from "../storage/admission/depth.ts";
import { type Accepted, assertPrompt, type Prompt, planAccept } from "./calls/accept.ts";
import { type Cancelled, type CancelOptions, cancelOperation } from "./calls/cancel.ts";
import { captureSnapshot, type LaneSnapshot } from "./calls/snapshot.ts";
import { type LaneWatch, watchLane } from "./calls/watch.ts";
import { Drive } from "./drive/drive.ts";
import { nextStep } from "./drive/steps.ts";
import type { ActivationOutcome } from "./options.ts";
import type { LaneRuntime } from "./state/runtime.ts";
import { type SummarizeOptions, summarize } from "./summary/summary.ts";

/** What one activation is asked for. */
export interface ActivateOptions {
  /** Whether to wait for a retry that is not due. Default: true. */
  waitForRetry?: boolean;
  /**
   * Permits this activation one poll of a deferred response (G2), at once or when the response that it drives suspends.
   * The poll's intent uses it up; a poll that a crash left unknown is replaced. Default: false, then nothing is asked and
   * a suspended operation stays as it is. An activation that joins a running drive gives it no permit.
   */
  permit?: boolean;
}

/** A named branch with at most one open operation. All its promises reject with the close or fault of the session. */
export class Lane {
  readonly name: string;
  readonly #runtime: LaneRuntime;

  constructor(runtime: LaneRuntime) {
    this.name = runtime.name;
    this.#runtime = runtime;
  }

  /**
   * Opens an operation and starts no effect (O1).
   *
   * @throws {LaneBusy} when the lane has an open operation.
   */
  async accept(input: { prompt: Prompt }): Promise<Accepted> {
    assertPrompt(input.prompt);
    assertDepth(input.prompt);
    // Copied now: the caller may change it before the turn comes.
    const prompt = frozenCopy(input.prompt);
    const { scope, name } = this.#runtime;
    return scope.core.call(() => scope.core.transact(name, (view) => planAccept(scope, view, prompt)));
  }

  /**
   * Drives the open operation until it settles, suspends, or has to wait. Joins the drive of an operation that this
   * process already drives (O3). One that does not wait for a retry is answered when the drive begins to wait, whoever else
   * waits with it (O4).
   *
   * @throws {NoOpenOperation} when the lane has no open operation.
   */
  activate(options: ActivateOptions = {}): Promise<ActivationOutcome> {
    const runtime = this.#runtime;
    const { core } = runtime.scope;
    return core.call(async () => {
      const { waitForRetry = true, permit = false } = options;
      if (runtime.drive !== undefined) return runtime.drive.attendance.join(waitForRetry);
      // The turn ends when there is a drive, not when that has come to something.
      const { joined } = await core.atTurn(runtime.name, () => ({ joined: this.#joinDrive(waitForRetry, permit) }));
      return joined;
    });
  }

  /**
   * Requests cancellation of the open operation (section F), or of the one that is named (Q7).
   *
   * @throws {NoOpenOperation} when the lane has no open operation, and none was named.
   * @throws {OperationNotOpen} when the named operation is not the open one.
   */
  cancel(options: CancelOptions = {}): Promise<Cancelled> {
    return this.#runtime.scope.core.call(() => cancelOperation(this.#runtime, options));
  }

  /**
   * Has the lane's model summarize the conversation, and adds the summary to it as an entry (H1). The lane stays usable
   * meanwhile; a failed summary writes nothing and is not retried.
   *
   * @throws {LaneBusy} when the lane has an open operation, at the call or at the end.
   * @throws {LaneMoved} when the lane has another tip at the end.
   * @throws {SummaryFailed} when there is nothing to summarize, no usable response, or `signal` was pulled in time.
   */
  summarize(options: SummarizeOptions = {}): Promise<BranchSummaryEntry> {
    return summarize(this.#runtime, options);
  }

  /** The lane at one instant (section I). */
  snapshot(): Promise<LaneSnapshot> {
    return this.#runtime.scope.core.call(() => captureSnapshot(this.#runtime, () => {}));
  }

  /** A snapshot, and every later event of the lane once and in order (I5). */
  watch(): Promise<LaneWatch> {
    return this.#runtime.scope.core.call(() => watchLane(this.#runtime));
  }

  /** The recorded outcome of an ended operation (O2). */
  result(operationId: string): Promise<OperationResultRecord | undefined> {
    const { core } = this.#runtime.scope;
    return core.call(() =>
      core.atTurn(this.name, async (_view, turn) => {
        const stored = await turn.read((storage) => storage.getValue(operationResult(operationId)));
        return stored?.value;
      }),
    );
  }

  #joinDrive(waitForRetry: boolean, permit: boolean): Promise<ActivationOutcome> {
    const runtime = this.#runtime;
    if (runtime.drive !== undefined) return runtime.drive.attendance.join(waitForRetry);
    const operation = runtime.view?.operation;
    if (operation === undefined) throw new NoOpenOperation(runtime.name);
    const drive = new Drive(runtime, operation.meta.operationId, permit);
    runtime.drive = drive;
    // Joined before its first step: it may begin to wait at once.
    const joined = drive.attendance.join(waitForRetry);
    void drive.run(nextStep);
    return joined;
  }
}
