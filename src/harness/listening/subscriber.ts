/** One listener and the events that wait for it: of one lane one at a time, in order, outside the stack of whoever emits (I5, J4). */
import type { HarnessEvent, Listener } from "./events.ts";
import { Line, type OnThrow } from "./line.ts";

const nobodyWaits = Promise.resolve();

/** One listener. An event waits for those before it of its own lane; a lane waits for no other lane, and for no other listener (Q4). */
export class Subscriber {
  readonly #awaited: boolean;
  readonly #newLine: () => Line;
  readonly #lanes = new Map<string, Line>();
  /** What is of no lane waits for all that was told before it. */
  readonly #ofAll: Line;
  #held: { readonly event: HarnessEvent; readonly lane: string | undefined }[] | undefined;
  #stopped = false;

  /** A watcher's events are held until `start`, and nobody ever waits for it. */
  constructor(kind: "listener" | "watcher", listener: Listener, onThrow: OnThrow) {
    this.#newLine = () => new Line(listener, onThrow);
    this.#ofAll = this.#newLine();
    this.#awaited = kind === "listener";
    this.#held = kind === "watcher" ? [] : undefined;
  }

  /** Resolves when nobody has to wait for the listener any more: for a watcher at once. */
  deliver(event: HarnessEvent, lane: string | undefined): Promise<void> {
    if (this.#stopped) return nobodyWaits;
    if (this.#held !== undefined) {
      this.#held.push({ event, lane });
      return nobodyWaits;
    }
    const delivered = new Promise<void>((taken) => this.#enqueue(event, lane, taken));
    return this.#awaited ? delivered : nobodyWaits;
  }

  /** Delivers what was held, then everything as it comes. */
  start(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const { event, lane } of held) void this.deliver(event, lane);
  }

  /** No call starts after this one, and nobody waits for the listener any more, whether it has returned or not. */
  stop(): void {
    this.#stopped = true;
    this.#ofAll.stop();
    for (const line of this.#lanes.values()) line.stop();
  }

  /** As `stop`, but what waits for nothing is delivered first. What waits behind a call that has not returned is dropped (K1). */
  close(): void {
    const lines = [...this.#lanes.values()];
    if (lines.some(({ isCalling }) => isCalling)) this.#ofAll.stop();
    for (const line of lines) line.deliverNow();
    this.#ofAll.deliverNow();
    this.stop();
  }

  #enqueue(event: HarnessEvent, lane: string | undefined, taken: () => void): void {
    if (lane !== undefined) this.#line(lane).enqueue({ event, taken });
    else if (this.#lanes.size === 0) this.#ofAll.enqueue({ event, taken });
    else this.#enqueueBehindAll(event, taken);
  }

  #enqueueBehindAll(event: HarnessEvent, taken: () => void): void {
    let waiting = this.#lanes.size;
    const arrived = () => {
      if (--waiting === 0) this.#ofAll.enqueue({ event, taken });
    };
    for (const line of this.#lanes.values()) line.enqueue({ event: undefined, taken: arrived });
  }

  #line(lane: string): Line {
    const known = this.#lanes.get(lane) ?? this.#newLine();
    this.#lanes.set(lane, known);
    return known;
  }
}
