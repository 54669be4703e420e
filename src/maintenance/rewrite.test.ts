/** Rewrites from every store to every store (L2). */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SessionImage } from "../storage/contract/image.ts";
import { newJsonlSession } from "../storage/jsonl/import.ts";
import { JsonlStorage } from "../storage/jsonl/jsonl.ts";
import { newMemorySession } from "../storage/memory/import.ts";
import { MemoryStorage } from "../storage/memory/memory.ts";
import { note, usage } from "../testing/jsonl/sessions.ts";
import { commitAll, everythingIn, foldersOfTests, longSession, ticking } from "../testing/maintenance/new-sessions.ts";
import { observe, outcomeOf } from "../testing/storage/observe.ts";
import { step } from "../testing/storage/steps.ts";
import { stores } from "../testing/storage/stores.ts";
import { rewriteSession } from "./rewrite.ts";

const { newFolder } = foldersOfTests();

const transactions = fc.array(
  step.filter((one) => one.kind === "commit").map(({ transactions }) => transactions),
  { minLength: 1, maxLength: 8 },
);

/** Every pair of stores, the same kind included. */
const pairs = stores.flatMap((source) => stores.map((target) => [source.name, target.name, source, target] as const));

describe.each(pairs)("a rewrite from %s to %s", (_from, _to, source, target) => {
  test("[L2][A8] of any session answers every read as the source does, and the next commit", async () => {
    await fc.assert(
      fc.asyncProperty(transactions, async (chosen) => {
        const original = await source.openIn(newFolder(), ticking());
        for (const writes of chosen.flat()) await outcomeOf(original.commit(writes));
        const copy = await rewriteSession(
          original,
          target.newIn(newFolder(), () => 99),
        );
        const [seen, expected] = [await observe(copy), await observe(original)];
        if (!isDeepStrictEqual(seen, expected)) expect(seen).toStrictEqual(expected);
        expect(await everythingIn(copy)).toEqual(await everythingIn(original));
        const next = [note("of the next commit"), usage("and its usage")];
        const replies = [await copy.commit(next), await original.commit(next)] as const;
        expect({ ...replies[0], timestamp: 0 }).toEqual({ ...replies[1], timestamp: 0 });
        await Promise.all([copy.close(), original.close()]);
      }),
      { seed: 20_26, numRuns: 12 },
    );
  });
});

describe.each(pairs)("a long session from %s to %s", (_from, _to, source, target) => {
  test("[L2][A10] comes over in pages, with every number that is left and the next one", async () => {
    const original = await source.openIn(newFolder(), ticking());
    await commitAll(original, longSession());
    const sizes: number[] = [];
    const copy = await rewriteSession(original, (image) => target.newIn(newFolder(), ticking())(watched(image, sizes)));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
    expect(sizes.length).toBeGreaterThan(1);
    expect(await everythingIn(copy)).toEqual(await everythingIn(original));
    expect(await copy.getStats()).toEqual(await original.getStats());
    const next = (await original.commit([note("last")])).firstSeq;
    expect((await copy.commit([note("last")])).firstSeq).toBe(next);
    await Promise.all([copy.close(), original.close()]);
  });
});

function watched(image: SessionImage, sizes: number[]): SessionImage {
  return {
    nextSeq: image.nextSeq,
    async *pages() {
      for await (const page of image.pages()) {
        sizes.push(page.length);
        yield page;
      }
    },
  };
}

describe("the identity of a session in a file", () => {
  test("[L2] is kept by a rewrite that is told to", async () => {
    const folder = newFolder();
    const source = await JsonlStorage.open(join(folder, "old"), { sessionId: "s", createdAt: 7 });
    const { sessionId, createdAt } = source;
    await rewriteSession(source, newJsonlSession(join(folder, "new"), { sessionId, createdAt }));
    const copy = await JsonlStorage.open(join(folder, "new"));
    expect([copy.sessionId, copy.createdAt]).toEqual(["s", 7]);
    await Promise.all([source.close(), copy.close()]);
  });

  test("[L2] is new otherwise", async () => {
    const path = join(newFolder(), "new");
    await rewriteSession(new MemoryStorage(), newJsonlSession(path, { createdAt: 8 }));
    const copy = await JsonlStorage.open(path, { readOnly: true });
    expect(copy.createdAt).toBe(8);
    expect(copy.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    await rewriteSession(copy, newMemorySession());
  });
});
