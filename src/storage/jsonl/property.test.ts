/** Any life of a session file, beside the same life in memory (A8, A10). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { list, value } from "../../addresses/address.ts";
import { contentOf, note, usage } from "../../testing/jsonl/sessions.ts";
import { UnreliableDisk } from "../../testing/jsonl/unreliable-disk.ts";
import type { Storage } from "../contract/storage.ts";
import { appendList, deleteList, deleteValue, setValue, type Write } from "../contract/writes.ts";
import { MemoryStorage } from "../memory/memory.ts";
import { JsonlStorage } from "./jsonl.ts";

const namespace = fc.constantFrom("test.words", "test.other", "test.count");
const key = fc.constantFrom("", "k", "\u{1f600}", "\uffff");
const id = fc.constantFrom("a", "b", "c", "d", "e", "__proto__");
const content = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>("\ud83d", "\u2028\n", -0, { gone: undefined }, Number.NaN, new Date(0)),
);

const write: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(id, fc.option(id)).map(([own, parent]) => note(own, parent)),
  id.map(usage),
  fc.tuple(namespace, key, content).map(([space, name, held]) => setValue(value(space, name), held)),
  fc.tuple(namespace, key).map(([space, name]) => deleteValue(value(space, name))),
  fc.tuple(namespace, key, content).map(([space, name, held]) => appendList(list(space, name), held)),
  fc.tuple(namespace, key).map(([space, name]) => deleteList(list(space, name))),
);

type Step =
  | { readonly burst: readonly Write[][] }
  | { readonly burst?: never; readonly call: "close" | "kill" | "compact" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ burst: fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ call: fc.constantFrom("close" as const, "kill" as const, "compact" as const) }) },
);

test("[A8, A10] any transactions, closes, deaths, reopens and compactions: replies and content as in memory", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.boolean(), async (steps, power) => {
      const files = new UnreliableDisk();
      let tick = 0;
      const now = () => tick;
      const open = () => JsonlStorage.open("s", { files, now, durability: power ? "power" : "process" });
      const memory = new MemoryStorage({ now });
      let storage = await open();
      for (const { burst, ...rest } of steps) {
        if (burst !== undefined) {
          tick++;
          // Not awaited: a read sees what was handed over before it, and nothing else.
          const handOver = (store: Storage) =>
            Promise.allSettled(burst.flatMap((writes) => [store.commit(writes), contentOf(store)]));
          const [expected, seen] = [handOver(memory), handOver(storage)];
          expect(await seen).toEqual(await expected);
        } else if ("call" in rest) {
          await storage[rest.call]();
          if (rest.call !== "compact") storage = await open();
          expect(await contentOf(storage)).toEqual(await contentOf(memory));
        }
      }
      await storage.close();
    }),
    { seed: 1, numRuns: 250 },
  );
});
