/** Everything that a store answers, in a form that can be compared. */
import { list, value } from "../../addresses/address.ts";
import type { ListReadOptions } from "../../storage/contract/list-options.ts";
import type { BranchScan, EntryScan, Storage } from "../../storage/contract/storage.ts";
import { ids, places } from "./steps.ts";

/** All that a call told: its result, or its error by what a caller can tell of it. */
export async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return { result: await call };
  } catch (error) {
    const { name, code, reason, message } = Object(error) as Record<string, unknown>;
    return { error: { name, code, reason, message } };
  }
}

const pages: ListReadOptions[] = [
  {},
  { order: "desc" },
  { limit: 2 },
  { cursor: { seq: 3 }, limit: 1 },
  { cursor: { seq: 4 } },
  { order: "desc", cursor: { seq: 6 }, limit: 2 },
  { limit: 0 },
];

const scans: EntryScan[] = [
  {},
  { order: "desc", limit: 2 },
  { fromSeq: 3, toSeq: 9 },
  { type: "custom" },
  { customType: "\ud83d" },
  { type: "message", order: "desc", fromSeq: 2 },
  { limit: -1 },
];

const walks: Omit<BranchScan, "start">[] = [
  {},
  { order: "oldestFirst" },
  { stopAtType: "compaction", type: "message" },
  { order: "oldestFirst", stopAtId: "b", limit: 2 },
  { customType: "a" },
  { cursor: { seq: 5 }, limit: 1 },
];

/** Half of the ids: a walk from one reaches the others, and a refused walk is slow. */
const starts = ids.filter((_id, index) => index % 2 === 0);

/** Every read call of a store, over all places and ids that steps use. */
export async function observe(storage: Storage): Promise<unknown[]> {
  const calls = [
    ...places.flatMap(([namespace, key]) => [
      storage.getValue(value(namespace, key)),
      storage.scanValues(value(namespace, key)),
      ...pages.map((options) => storage.readList(list(namespace, key), options)),
    ]),
    ...starts.flatMap((start) =>
      walks.flatMap((walk) => [
        storage.scanBranch({ start, ...walk }),
        storage.scanBranchStructure({ start, ...walk }),
      ]),
    ),
    ...scans.flatMap((scan) => [storage.scanEntries(scan), storage.scanUsage(scan)]),
    storage.getEntries([...ids, "none"]),
    storage.getStats(),
  ];
  return Promise.all(calls.map(outcomeOf));
}
