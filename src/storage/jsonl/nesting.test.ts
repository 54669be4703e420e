/** Nesting, judged in the bytes of a line (A8, A9). */
import { expect, test, vi } from "vitest";
import { UnreliableDisk } from "../../testing/jsonl/unreliable-disk.ts";
import { JsonlStorage } from "./jsonl.ts";
import { nestsTooDeep } from "./nesting.ts";

test.each([
  ["[".repeat(1_002), false],
  ["[".repeat(1_003), true],
  ['{"a":'.repeat(1_003), true],
  ["[]".repeat(5_000), false],
  [`["${"[".repeat(5_000)}"]`, false],
  [`["${'\\"['.repeat(5_000)}"]`, false],
  [`["\\\\",${"[".repeat(1_002)}`, true],
])("nesting %#", (line, tooDeep) => {
  expect(nestsTooDeep(Buffer.from(line))).toBe(tooDeep);
});

test("[A9] a line that nests too deep is refused and never parsed", async () => {
  const files = new UnreliableDisk();
  await (await JsonlStorage.open("s", { files })).close();
  files.place("s", Buffer.concat([files.bytes("s") ?? Buffer.of(), Buffer.from(`${"[".repeat(1e6)}\n`)]));
  const parse = vi.spyOn(JSON, "parse");
  try {
    await expect(JsonlStorage.open("s", { files })).rejects.toMatchObject({ code: "corrupt_session", line: 2 });
    expect(parse.mock.calls.filter(([text]) => text.startsWith("[["))).toEqual([]);
  } finally {
    parse.mockRestore();
  }
});
