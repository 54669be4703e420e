/** Lines, however their bytes arrive (A9). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

/** The lines of the text and the count of what follows them, however the bytes are cut into chunks. */
function split(chunks: readonly Uint8Array[], greatest?: number): { lines: (string | undefined)[]; rest: number } {
  const splitter = new LineSplitter(greatest);
  const lines = chunks.flatMap((chunk) => [...splitter.push(chunk)].map(({ bytes }) => bytes?.toString()));
  return { lines, rest: splitter.unfinished };
}

test("[A9] the chunks in which bytes come make no difference", () => {
  const text = fc.array(fc.constantFrom("\n", "a", "\u2028", "\u{1f600}", "\r", "bc"), { maxLength: 30 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (pieces, size) => {
      const bytes = Buffer.from(pieces.join(""));
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      const expected = pieces.join("").split("\n");
      const rest = Buffer.byteLength(expected.pop() ?? "");
      expect(split(chunks)).toEqual({ lines: expected, rest });
    }),
    { seed: 1 },
  );
});

test("says where each line ends and how much came", () => {
  const splitter = new LineSplitter();

  expect([...splitter.push(Buffer.from("ab\n\nc"))].map(({ end }) => end)).toEqual([3, 4]);
  expect([...splitter.push(Buffer.from("d\ne"))].map(({ end }) => end)).toEqual([7]);
  expect(splitter.size).toBe(8);
});

test("a line that is too long is counted but not kept, and the next one is whole", () => {
  const chunks = ["12345\n", "123", "45", "6\n1", "2\n"].map((chunk) => Buffer.from(chunk));

  expect(split(chunks, 5)).toEqual({ lines: ["12345", undefined, "12"], rest: 0 });
});
