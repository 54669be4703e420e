/** A session as one of its lanes has it: the same store, in which that lane is called `main`. */
import type { LaneName } from "../../../machines/index.ts";
import { type Storage, type Value, value, type Write, wrapStorage } from "../../../src/index.ts";
import { laneName } from "../../adapters/adapter.ts";

const laneKeyed = new Set(["pi.branch.tip", "pi.lane.config", "pi.lane.state"]);

/** Whether the key of an address is the name of a lane. */
export const isLaneKeyed = ({ namespace }: { readonly namespace: string }): boolean => laneKeyed.has(namespace);

/** The store behind the world of one lane, which knows no other lane and speaks of `main`. */
export const storeOfLane = (store: Storage, lane: LaneName): Storage =>
  wrapStorage(store, {
    commit: (writes) => store.commit(renamedWrites(writes, laneName, lane)),
    getValue: (address) => store.getValue(renamedAddress(address, laneName, lane)),
  });

/** What the harness hands over for `lane`, in the words of that lane's world. */
export const writesAsMain = (writes: readonly Write[], lane: LaneName): Write[] =>
  renamedWrites(writes, lane, laneName);

export const addressAsMain = <T>(address: Value<T>, lane: LaneName): Value<T> =>
  renamedAddress(address, lane, laneName);

const renamedAddress = <T>(address: Value<T>, from: string, to: string): Value<T> =>
  isLaneKeyed(address) && address.key === from ? value(address.namespace, to) : address;

const renamedWrites = (writes: readonly Write[], from: string, to: string): Write[] =>
  writes.map((write) =>
    write.kind === "value" && isLaneKeyed(write) && write.key === from ? { ...write, key: to } : write,
  );
