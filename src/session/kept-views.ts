/** The lanes as last replied that a session keeps at hand (E1). */
import type { LaneView } from "./lane-view.ts";

/** So many idle lanes, those that changed last, are kept: another one is read again when it is asked for. */
export const greatestIdle = 64;

/** Views of lanes: of each with an open operation, and of the idle ones that changed last. */
export class KeptViews {
  readonly #open = new Map<string, LaneView>();
  readonly #idle = new Map<string, LaneView>();

  get size(): number {
    return this.#open.size + this.#idle.size;
  }

  get(lane: string): LaneView | undefined {
    return this.#open.get(lane) ?? this.#idle.get(lane);
  }

  set(lane: string, view: LaneView): void {
    this.#open.delete(lane);
    this.#idle.delete(lane);
    if (view.operation !== undefined) {
      this.#open.set(lane, view);
      return;
    }
    this.#idle.set(lane, view);
    const [oldest] = this.#idle.keys();
    if (this.#idle.size > greatestIdle && oldest !== undefined) this.#idle.delete(oldest);
  }
}
