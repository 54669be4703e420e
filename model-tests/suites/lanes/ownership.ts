/** Which lane a transaction belongs to, told by the keys that it writes. */

import { type LaneName, laneNames } from "../../../machines/index.ts";
import type { Write } from "../../../src/index.ts";
import { AnomalyFound } from "../../world/anomalies.ts";
import { isLaneKeyed } from "./renamed-store.ts";

/** Learns from each transaction whose operations and entries its ids are. */
export class Ownership {
  readonly #owners = new Map<string, LaneName>();

  /** @throws when a transaction belongs to no lane, or to both: no transaction of one lane writes rows of another (C4). */
  claim(writes: readonly Write[]): LaneName {
    const owners = new Set(writes.flatMap((write) => this.#ownersOf(write)));
    const [owner] = owners;
    if (owner === undefined || owners.size > 1) {
      throw new AnomalyFound("a transaction belongs to no lane, or to both", owners.size === 0 ? "to none" : "to both");
    }
    for (const write of writes) for (const id of idsOf(write)) this.#owners.set(id, owner);
    return owner;
  }

  #ownersOf(write: Write): LaneName[] {
    if (write.kind === "value" && isLaneKeyed(write)) return laneNames.filter((lane) => lane === write.key);
    return idsOf(write).flatMap((id) => this.#owners.get(id) ?? []);
  }
}

/** Operation, entry and response ids. A key below an operation begins with its id. */
function idsOf(write: Write): readonly string[] {
  switch (write.kind) {
    case "entry":
      return write.entry.parentId === null ? [write.entry.id] : [write.entry.id, write.entry.parentId];
    case "usage":
      return write.row.entryId === undefined ? [] : [write.row.entryId];
    default:
      return isLaneKeyed(write) ? [] : write.key.split(":");
  }
}
