/** Random steps in the life of a session. */
import type { Message } from "@earendil-works/pi-ai";
import fc from "fast-check";
import { list, value } from "../../addresses/address.ts";
import type { NewEntry, NewUsageRow } from "../../durable/entries.ts";
import type { JsonValue } from "../../durable/json.ts";
import type { Write } from "../../storage/contract/writes.ts";
import {
  appendList,
  deleteList,
  deleteValue,
  insertEntry,
  insertUsage,
  setValue,
} from "../../storage/contract/writes.ts";

/** One thing that happens to a session: transactions handed over at once, or a change of its handle or file. */
export type Step =
  | { readonly kind: "commit"; readonly transactions: readonly Write[][] }
  | { readonly kind: "close" | "kill" | "compact" };

/** Few places and ids, so that steps meet; of all texts that stores may confuse. */
export const places = [
  ["n", ""],
  ["n", "k"],
  ["n", "k%"],
  ["n", "k\uffff"],
  ["n", "k\u{10000}"],
  ["n.x", "k"],
  ["\u{10ffff}", "\u2028"],
] as const;
export const ids = ["a", "b", "A", "\ud83d", "\ufffd", "a\u0000", "é\n", ""] as const;

const place = fc.constantFrom<readonly [string, string]>(...places);
const id = fc.constantFrom(...ids);
const parent = fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: id });

const json: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.jsonValue({ maxDepth: 3, stringUnit: "binary" }) as fc.Arbitrary<JsonValue>,
  fc.constantFrom("\ud83d", "\udc00x", "\u0000", "\u2028\u2029", "ha", -0, 1e300, 2 ** 53, null),
  fc.constant(JSON.parse('{"__proto__": {"polluted": true}, "\\ud83d": 1}')),
);
const noJson = fc.constantFrom(undefined, Number.NaN, () => 1, new Date(0));
const content = fc.oneof({ arbitrary: json, weight: 20 }, { arbitrary: noJson, weight: 1 });

const count = fc.oneof(fc.nat(1000), fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constant(1e308));
const cost = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count, total: count });
const usage = fc.record(
  {
    input: count,
    output: count,
    cacheRead: count,
    cacheWrite: count,
    totalTokens: count,
    cost,
    cacheWrite1h: count,
    reasoning: count,
  },
  { requiredKeys: ["input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost"] },
);

const usageRow: fc.Arbitrary<NewUsageRow> = fc.record(
  { id, usage, adjustment: fc.boolean(), entryId: id, details: json },
  { requiredKeys: ["id", "usage", "adjustment"] },
);

const messageEntry = fc.record({
  id,
  parentId: parent,
  type: fc.constant("message" as const),
  message: fc.record({ role: fc.constant("user" as const), content: fc.string({ unit: "binary" }), timestamp: count }),
});
const customEntry = fc.record({
  id,
  parentId: parent,
  type: fc.constant("custom" as const),
  customType: id,
  data: json,
});
const compactionEntry = fc.record({
  id,
  parentId: parent,
  type: fc.constant("compaction" as const),
  summary: fc.string({ unit: "binary" }),
  retainedTail: fc.constant<Message[]>([]),
  tokensBefore: fc.nat(),
  fromHook: fc.boolean(),
});
const entry: fc.Arbitrary<NewEntry> = fc.oneof(messageEntry, customEntry, compactionEntry);

const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: entry.map(insertEntry) },
  { weight: 1, arbitrary: usageRow.map(insertUsage) },
  { weight: 3, arbitrary: fc.tuple(place, content).map(([at, held]) => setValue(value<unknown>(...at), held)) },
  { weight: 1, arbitrary: place.map((at) => deleteValue(value(...at))) },
  { weight: 5, arbitrary: fc.tuple(place, content).map(([at, held]) => appendList(list<unknown>(...at), held)) },
  { weight: 1, arbitrary: place.map((at) => deleteList(list(...at))) },
);

const transaction = fc.array(write, { maxLength: 5 });

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(transaction, { minLength: 1, maxLength: 4 })
      .map((transactions) => ({ kind: "commit" as const, transactions })),
  },
  { weight: 2, arbitrary: fc.constantFrom("close", "kill", "compact").map((kind) => ({ kind })) },
);
