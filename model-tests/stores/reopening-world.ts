/** A world whose store is a file: with each process goes its handle, and the next one has what is in the file alone. */

import type { Adapter } from "../adapters/adapter.ts";
import type { Sayings } from "../contents/beat.ts";
import { anomalyOf } from "../world/anomalies.ts";
import { World } from "../world/world.ts";
import { compareWhole } from "./read-whole.ts";
import type { ReopeningStore } from "./reopening-store.ts";

export class ReopeningWorld extends World {
  readonly #store: ReopeningStore;

  constructor(adapter: Adapter, store: ReopeningStore, maxAttempts: number, sayings?: Sayings) {
    super(adapter, store, maxAttempts, 0, sayings);
    this.#store = store;
  }

  override async boot(): Promise<void> {
    this.kill();
    // Between two processes an outside party may have had the session.
    this.#store.lose();
    await this.#readBack();
    await super.boot();
  }

  override kill(): void {
    const held = this.gate !== undefined;
    super.kill();
    if (held) this.#store.lose();
  }

  async #readBack(): Promise<void> {
    try {
      await compareWhole(this.#store, this.durable, this.#store.places);
    } catch (error) {
      this.record.anomalies.push(anomalyOf(error));
    }
  }
}
