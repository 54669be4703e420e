/** The one store that a harness with two lanes is given: it hands each commit to the gate of its lane, and keeps their order. */

import type { CommitName, LaneName, PerLane } from "../../../machines/index.ts";
import { type Storage, type Write, wrapStorage } from "../../../src/index.ts";
import { anomalyOf } from "../../world/anomalies.ts";
import type { World } from "../../world/world.ts";
import { Ownership } from "./ownership.ts";
import { addressAsMain, isLaneKeyed, writesAsMain } from "./renamed-store.ts";

/** A commit that waits at the store. */
export interface AtStore {
  readonly lane: LaneName;
  readonly name: CommitName;
  readonly landed: boolean;
}

export class OneStore {
  readonly #worlds: PerLane<World>;
  readonly #ownership = new Ownership();
  /** The lanes of the commits in the order of their arrival; of a lane's last ones some may still wait. */
  #arrivals: LaneName[] = [];

  constructor(worlds: PerLane<World>) {
    this.#worlds = worlds;
  }

  /** The store as a process sees it, over the gates of both lanes. */
  of(gates: PerLane<Storage>): Storage {
    this.#arrivals = [];
    return wrapStorage(gates.a, {
      commit: async (writes) => {
        const lane = this.#claim(writes);
        this.#arrivals.push(lane);
        return gates[lane].commit(writesAsMain(writes, lane));
      },
      getValue: async (address) => {
        if (!isLaneKeyed(address)) return gates.a.getValue(address);
        const lane = address.key as LaneName;
        return gates[lane].getValue(addressAsMain(address, lane));
      },
    });
  }

  /** All that waits at the store, in the order in which it was handed over. */
  get waiting(): readonly AtStore[] {
    const left = { a: [...this.#parked("a")], b: [...this.#parked("b")] };
    const waiting: AtStore[] = [];
    for (const lane of this.#arrivals.toReversed()) {
      const commit = left[lane].pop();
      if (commit !== undefined && commit.name !== "internal") {
        waiting.push({ lane, name: commit.name, landed: commit.landed });
      }
    }
    return waiting.reverse();
  }

  #claim(writes: readonly Write[]): LaneName {
    try {
      return this.#ownership.claim(writes);
    } catch (error) {
      this.#worlds.a.record.anomalies.push(anomalyOf(error));
      throw error;
    }
  }

  #parked(lane: LaneName) {
    return this.#worlds[lane].gate?.parked ?? [];
  }
}
