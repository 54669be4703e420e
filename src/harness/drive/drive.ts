/** A drive: takes one open operation, step by step, to where its activation ends (O3). */
import { UnsupportedState } from "../../errors.ts";
import type { Plan, SessionCore } from "../../session/core.ts";
import type { LaneView, Operation } from "../../session/lane-view.ts";
import type { Turn } from "../../session/line.ts";
import { type Outcome, planTerminal } from "../../session/terminal.ts";
import type { Write } from "../../storage/contract/writes.ts";
import type { HarnessEvent } from "../listening/events.ts";
import type { ActivationOutcome } from "../options.ts";
import { patienceOf } from "../state/patience.ts";
import type { LaneRuntime, LiveResponse, RunningDrive } from "../state/runtime.ts";
import type { HarnessScope } from "../state/scope.ts";
import { Attendance } from "./attendance.ts";
import { sleepOut, Wait } from "./wait.ts";

/** A plan that does write. */
type Commitment<T> = Extract<Plan<T>, { writes: Write[] }>;

type EventBody<E> = E extends { lane: string; operationId: string } ? Omit<E, "lane" | "operationId"> : never;

/** Takes the next step, from the durable state. `undefined`: there is another one to take. */
export type Step = (drive: Drive) => Promise<ActivationOutcome | undefined>;

/** Unwinds a drive that has ended: by its own result, a finalization, a fault or a close. Never leaves the harness. */
export class DriveOver extends Error {
  constructor() {
    super("The drive is over");
  }
}

/** Takes one operation from its durable state to an outcome. The steps are handed in; they know the drive. */
export class Drive implements RunningDrive {
  readonly lane: LaneRuntime;
  readonly operationId: string;
  readonly attendance: Attendance;
  /** Whether the activation may still poll; the intent of the poll uses it up (G2). */
  permit: boolean;
  live: LiveResponse | undefined;
  #over = false;
  readonly #waiting = new Set<() => void>();
  readonly #controller = new AbortController();
  /** Pulled when the drive ends. */
  readonly #ended = new AbortController();
  #wait: Wait | undefined;
  #grace: Promise<unknown> | undefined;
  #graceOver = false;
  #resolve: (outcome: ActivationOutcome) => void = nobody;
  #reject: (error: unknown) => void = nobody;

  constructor(lane: LaneRuntime, operationId: string, permit: boolean) {
    this.lane = lane;
    this.operationId = operationId;
    this.permit = permit;
    const outcome = new Promise<ActivationOutcome>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.attendance = new Attendance(outcome);
  }

  get scope(): HarnessScope {
    return this.lane.scope;
  }

  get core(): SessionCore {
    return this.lane.scope.core;
  }

  /** Given to providers, hooks and the clock. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What `work` comes to, or `undefined` when the signal is pulled first. Of work that has ended nothing is kept. */
  untilPulled<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const leave = () => resolve(undefined);
      if (this.signal.aborted) leave();
      else this.#waiting.add(leave);
      work.then(resolve, reject).finally(() => this.#waiting.delete(leave));
    });
  }

  /** Whether the drive has ended: nothing that comes back may be used any more. */
  get over(): boolean {
    return this.#over;
  }

  /** Runs step after step. A step that throws for another reason than the end of the drive is a fault (K2). */
  async run(step: Step): Promise<void> {
    try {
      while (!this.#over) {
        const outcome = await step(this);
        if (outcome !== undefined) this.finish(outcome);
      }
    } catch (error) {
      if (this.#over) return;
      if (error instanceof UnsupportedState) this.#refuse(error);
      else this.core.fail(error);
    }
  }

  /** Ends the drive with an outcome. */
  finish(outcome: ActivationOutcome): void {
    if (this.#over) return;
    this.#detach();
    this.#resolve(outcome);
  }

  /** Ends the drive without an outcome, because the session ended (K1, K2). */
  stop(): void {
    this.#detach();
    this.pull();
  }

  /** Pulls the signal. From then on nobody is waited for longer than the grace (Q4). */
  pull(): void {
    this.#controller.abort();
    for (const leave of this.#waiting) leave();
    this.#waiting.clear();
    this.#grace ??= this.#leaveAfterGrace().catch((error: unknown) => this.core.fail(error));
  }

  /** The next wait for somebody outside; there is one at a time. It is left when the grace of a cancel has passed. */
  newWait(): Wait {
    const wait = new Wait();
    if (this.#graceOver) wait.leave("stopped");
    this.#wait = wait;
    return wait;
  }

  /** Throws when the drive is over. Called after each wait for something outside this process. */
  assertAlive(): void {
    if (this.#over) throw new DriveOver();
  }

  emit(event: EventBody<HarnessEvent>): Promise<void> {
    const { name: lane } = this.lane;
    return this.scope.hub.emit({ ...event, lane, operationId: this.operationId });
  }

  /** One transaction of this operation; at its turn the operation must still be open and driven from here. */
  transact<T>(plan: (view: LaneView, operation: Operation, turn: Turn) => Plan<T> | Promise<Plan<T>>): Promise<T> {
    return this.core.transact(this.lane.name, (view, turn) => {
      const operation = view?.operation;
      if (view === undefined || this.#over || operation?.meta.operationId !== this.operationId) throw new DriveOver();
      return plan(view, operation, turn);
    });
  }

  /** The operation's own terminal transaction (O2). */
  planEnd(view: LaneView, operation: Operation, outcome: Outcome): Commitment<ActivationOutcome> {
    const { writes, next, result } = planTerminal(view, operation, outcome, this.core.clock.now());
    return {
      writes,
      next,
      replied: () => {
        const settled: ActivationOutcome = { kind: "settled", result };
        void this.emit({ type: "operation_end", result });
        this.finish(settled);
        return settled;
      },
    };
  }

  async #leaveAfterGrace(): Promise<void> {
    const until = this.core.clock.now() + patienceOf(this.scope.options).stopGraceMs;
    this.#graceOver = await sleepOut(this.core, until, this.#ended.signal);
    if (this.#graceOver) this.#wait?.leave("stopped");
  }

  #refuse(error: UnsupportedState): void {
    this.#detach();
    this.#reject(error);
  }

  #detach(): void {
    this.#over = true;
    this.#ended.abort();
    this.live = undefined;
    if (this.lane.drive === this) this.lane.drive = undefined;
  }
}

/** Stands in until the promise exists. */
function nobody(): void {}
