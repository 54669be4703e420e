/** Session files with random damage (A9). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { CorruptSession, NewerStorageVersion, NotASession } from "../../errors.ts";
import { corpus, version1 } from "../../testing/jsonl/corpus.ts";
import { contentOf, words } from "../../testing/jsonl/sessions.ts";
import { UnreliableDisk } from "../../testing/jsonl/unreliable-disk.ts";
import { appendList } from "../contract/writes.ts";
import { JsonlStorage } from "./jsonl.ts";

type Mutation = (bytes: Buffer) => Buffer;

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const offset = (bytes: Buffer, at: number): number => Math.floor(at * bytes.length);

function splice(bytes: Buffer, from: number, removed: number, inserted: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, from), inserted, bytes.subarray(from + removed)]);
}

function withLines(change: (lines: string[], index: number, other: number) => void): fc.Arbitrary<Mutation> {
  return fc.tuple(place, place).map(([a, b]) => (bytes) => {
    const lines = bytes.toString("latin1").split("\n");
    change(lines, Math.floor(a * lines.length), Math.floor(b * lines.length));
    return Buffer.from(lines.join("\n"), "latin1");
  });
}

const poison = [
  '"__proto__":{"polluted":true},',
  '{"__proto__":{"polluted":true}}\n',
  "[".repeat(5_000),
  `"${"x".repeat(100_000)}"`,
  "\n",
  " ",
  "\u2028",
  "\0".repeat(40),
  "1e999",
  '"seq":1,',
];

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(place, fc.nat(7)).map(
    ([at, bit]): Mutation =>
      (bytes) => {
        const changed = Buffer.from(bytes);
        const index = offset(bytes, at);
        if (index < changed.length) changed[index] = (changed[index] ?? 0) ^ (1 << bit);
        return changed;
      },
  ),
  place.map(
    (at): Mutation =>
      (bytes) =>
        bytes.subarray(0, offset(bytes, at)),
  ),
  fc.tuple(place, fc.nat(60)).map(
    ([at, size]): Mutation =>
      (bytes) =>
        splice(bytes, offset(bytes, at), size, Buffer.of()),
  ),
  fc.tuple(place, fc.uint8Array({ maxLength: 8 })).map(
    ([at, inserted]): Mutation =>
      (bytes) =>
        splice(bytes, offset(bytes, at), 0, inserted),
  ),
  fc.tuple(place, fc.constantFrom(...poison)).map(
    ([at, inserted]): Mutation =>
      (bytes) =>
        splice(bytes, offset(bytes, at), 0, Buffer.from(inserted)),
  ),
  fc.tuple(place, fc.nat(200)).map(
    ([at, size]): Mutation =>
      (bytes) =>
        Buffer.from(bytes).fill(0, offset(bytes, at), Math.min(offset(bytes, at) + size, bytes.length)),
  ),
  withLines((lines, index, other) => lines.splice(index, 0, lines[other] ?? "")),
  withLines((lines, index) => lines.splice(index, 1)),
  withLines((lines, index, other) => {
    const [line = ""] = lines.splice(index, 1);
    lines.splice(other, 0, line);
  }),
);

const small = corpus.filter(({ bytes }) => bytes.length < 2_000).map(({ bytes }) => bytes);
const seedFile = fc.oneof(
  { weight: 3, arbitrary: fc.constant(version1) },
  { weight: 1, arbitrary: fc.constantFrom(...small) },
);

const isTypedRefusal = (error: unknown): boolean =>
  error instanceof CorruptSession || error instanceof NotASession || error instanceof NewerStorageVersion;

test("[A9] a mutated file is opened or refused with a typed error; a refused one stays as it is", async () => {
  const seen = { opened: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(seedFile, fc.array(mutation, { minLength: 1, maxLength: 4 }), async (seedBytes, mutations) => {
      const bytes = mutations.reduce((changed, mutate) => mutate(changed), seedBytes);
      const files = new UnreliableDisk();
      files.place("s", bytes);
      const open = () => JsonlStorage.open("s", { files, durability: "process", now: () => 7 });
      try {
        const first = await open();
        seen.opened++;
        const found = await contentOf(first);
        await first.close();
        const second = await open();
        expect(await contentOf(second)).toEqual(found);
        await second.compact();
        await second.commit([appendList(words, "x")]);
        await second.close();
        await (await open()).close();
      } catch (error) {
        if (!isTypedRefusal(error)) throw error;
        seen.refused++;
        expect(files.bytes("s")?.equals(bytes)).toBe(true);
        expect(files.calls).toEqual([]);
      }
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    }),
    { seed: 1, numRuns: 1_500 },
  );

  expect(seen.opened).toBeGreaterThan(150);
  expect(seen.refused).toBeGreaterThan(150);
});
