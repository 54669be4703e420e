/** Session files that somebody once thought of, good and bad. */
import { readFileSync } from "node:fs";
import { sectorBytes } from "./unreliable-file.ts";

/** What must become of a file: a typed refusal, or a session with this many words in it. */
export type Expected = { readonly refused: string; readonly line?: number } | { readonly words: number };

export interface CorpusCase {
  readonly name: string;
  readonly bytes: Buffer;
  readonly expected: Expected;
}

/** A session as version 1 writes it, with gaps, groups, and text that is hard to keep. */
export const version1 = readFileSync(new URL("./version-1.jsonl", import.meta.url));

const header =
  '{"format":"assistant-durability/session","storageVersion":1,"sessionId":"s","createdAt":5,"nextSeq":1}\n';

const word = (seq: number, text = "w"): string =>
  `{"seq":${seq},"kind":"list","op":"append","namespace":"test.words","key":"","value":${JSON.stringify(text)}}\n`;
const entry = (seq: number, id: string, parentId: string | null, more = '"customType":"note"'): string =>
  `{"seq":${seq},"timestamp":7,"kind":"entry","entry":{"id":"${id}","parentId":${JSON.stringify(parentId)},"type":"custom",${more}}}\n`;
const valued = (seq: number, json: string): string =>
  `{"seq":${seq},"kind":"value","op":"set","namespace":"n","key":"k","value":${json}}\n`;

const one = (name: string, content: string | Buffer, expected: Expected): CorpusCase => ({
  name,
  bytes: Buffer.isBuffer(content) ? content : Buffer.from(content),
  expected,
});
const joined = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

/** The text, in which zero bytes stand from the first block border behind `after` for `size` bytes. */
function withLostBlock(after: string, rest: string, size: number): Buffer {
  const bytes = Buffer.from(after + rest);
  const begin = Math.ceil((after.length + 1) / sectorBytes) * sectorBytes;
  return bytes.fill(0, begin, begin + size);
}

const corrupt = (line: number): Expected => ({ refused: "corrupt_session", line });
const notASession: Expected = { refused: "not_a_session" };

const headers: CorpusCase[] = [
  one("an empty file", "", { words: 0 }),
  one("one line feed", "\n", notASession),
  one("text", "hello\n", notASession),
  one("JSON of another format", '{"type":"session","version":3}\n', notASession),
  one("a JSON array", "[1]\n", notASession),
  one("null", "null\n", notASession),
  one("a header without its line feed", header.slice(0, -1), notASession),
  one("half a header", header.slice(0, 40), notASession),
  one("a header that ends in a carriage return", header.replace("\n", "\r\n"), { words: 0 }),
  one("a header after a byte order mark", `\ufeff${header}`, notASession),
  one("zero bytes", Buffer.alloc(300), notASession),
  one("zero bytes, far more than a header has", Buffer.alloc(300_000), notASession),
  one("a long first line", `"${"x".repeat(300_000)}"\n`, notASession),
  one("another program's binary", joined([0x7f, 0x45, 0x4c, 0x46, 0xff, 0x00, 0x0a, 0x01]), notASession),
  one("a newer version", header.replace('Version":1', 'Version":2'), { refused: "newer_storage_version" }),
  one("a newer version with other fields", '{"format":"assistant-durability/session","storageVersion":9}\n', {
    refused: "newer_storage_version",
  }),
  one("version 0", header.replace('Version":1', 'Version":0'), corrupt(1)),
  one("a version that is text", header.replace('Version":1', 'Version":"1"'), corrupt(1)),
  one("a header without session id", header.replace('"sessionId":"s",', ""), corrupt(1)),
  one("a next number that is none", header.replace('nextSeq":1', 'nextSeq":0'), corrupt(1)),
  one("a next number that is too great", header.replace('nextSeq":1', 'nextSeq":9007199254740991'), corrupt(1)),
  one("a header whose members are inherited", '{"__proto__":{"format":"assistant-durability/session"}}\n', notASession),
  one("the header twice", header + header, corrupt(2)),
];

const lines: CorpusCase[] = [
  one("two words", header + word(1) + word(2), { words: 2 }),
  one("a gap in the numbers", header + word(1) + word(9), { words: 2 }),
  one("a space before a line, as after a group", `${header}${word(1)} ${word(2)}`, { words: 2 }),
  one("an interior line that is no JSON", `${header}${word(1)}oops\n${word(2)}`, corrupt(3)),
  one("a last line that is no JSON", `${header}${word(1)}oops\n`, corrupt(3)),
  one("a blank line", `${header}${word(1)}\n${word(2)}`, corrupt(3)),
  one("a number that does not increase", header + word(2) + word(2), corrupt(3)),
  one("a number that goes down", header + word(2) + word(1), corrupt(3)),
  one("a number that goes down in a line", `${header}[${word(2).trim()},${word(1).trim()}]\n`, corrupt(2)),
  one("number 0", header + word(0), corrupt(2)),
  one("a negative number", header + word(-1), corrupt(2)),
  one("half a number", header + word(1.5), corrupt(2)),
  one("a number that is too great", header + word(2 ** 53 - 1), corrupt(2)),
  one("an empty transaction", `${header}[]\n`, corrupt(2)),
  one("a transaction of null", `${header}null\n`, corrupt(2)),
  one("a transaction of arrays", `${header}[[1]]\n`, corrupt(2)),
  one("an unknown kind", `${header}{"seq":1,"kind":"frame"}\n`, corrupt(2)),
  one("a kind that every object has", `${header}{"seq":1,"kind":"constructor"}\n`, corrupt(2)),
  one("an unknown op", header + word(1).replace("append", "prepend"), corrupt(2)),
  one("the op of another kind", header + word(1).replace("append", "set"), corrupt(2)),
  one("a place that is no text", header + word(1).replace('"test.words"', "7"), corrupt(2)),
  one(
    "an append without element",
    `${header}{"seq":1,"kind":"list","op":"append","namespace":"n","key":""}\n`,
    corrupt(2),
  ),
  one("an entry without timestamp", header + entry(1, "a", null).replace('"timestamp":7,', ""), corrupt(2)),
  one("an entry of unknown type", header + entry(1, "a", null).replace("custom", "note"), corrupt(2)),
  one("a duplicate id", header + entry(1, "a", null) + entry(2, "a", null) + word(3), corrupt(3)),
  one("a missing parent", header + word(1) + entry(2, "b", "a"), corrupt(3)),
  one("an entry that is its own parent", header + entry(1, "a", "a"), corrupt(2)),
  one(
    "an entry named like a member of every object",
    header + entry(1, "__proto__", null) + entry(2, "x", "__proto__"),
    {
      words: 0,
    },
  ),
  one(
    "usage that cannot be added up",
    `${header}{"seq":1,"kind":"usage","row":{"id":"u","adjustment":false,"usage":{}}}\n`,
    corrupt(2),
  ),
  one("a torn last line", header + word(1) + word(2).slice(0, -9), { words: 1 }),
  one("a last line that lacks only its line feed", header + word(1) + word(2).slice(0, -1), { words: 1 }),
  one("a torn last line of zero bytes", joined(header, word(1), Array(5_000).fill(0)), { words: 1 }),
  one("a torn last line that is no UTF-8", joined(header, word(1), [0xff, 0xfe]), { words: 1 }),
];

const bytes: CorpusCase[] = [
  ...(
    [
      ["a byte that UTF-8 does not know", [0xff]],
      ["half a UTF-8 character", [0xc3]],
      ["half a surrogate as three bytes", [0xed, 0xa0, 0x80]],
      ["an overlong zero", [0xc0, 0x80]],
    ] as const
  ).map(([name, wrong]) => {
    const [before = "", after = ""] = word(1, "|").split("|");
    return one(`${name} in a text`, joined(header, before, [...wrong], after, word(2)), corrupt(2));
  }),
  one(
    "zero bytes in an interior line",
    joined(header, word(1).slice(0, 20), [0, 0, 0, 0], word(1).slice(24), word(2)),
    corrupt(2),
  ),
  one("a lost block in the last line", withLostBlock(header + word(1), word(2), sectorBytes), { words: 1 }),
  one("a lost block, then lines of the same write", withLostBlock(header + word(1), `${word(2)} ${word(3)}`, 32), {
    words: 1,
  }),
  one(
    "a lost block, then a later write",
    withLostBlock(header + word(1), `${word(2)} ${word(3)}${word(4)}`, 32),
    corrupt(3),
  ),
  one("zero bytes that end within a block", withLostBlock(header + word(1), word(2), sectorBytes - 1), corrupt(3)),
  one(
    "zero bytes at the end that begin within a block",
    joined(header, word(1), word(2).slice(0, -1), [0]),
    corrupt(3),
  ),
  one("a line separator and a paragraph separator", header + word(1, "a\u2028b\u2029c"), { words: 1 }),
  one("a raw control character in a text", header + word(1).replace('"w"', '"\u0001"'), corrupt(2)),
  one("a line of four megabytes", header + word(1, "x".repeat(4_000_000)) + word(2), { words: 2 }),
  one("nesting just within the limit", `${header}${valued(1, "[".repeat(1_000) + "]".repeat(1_000))}${word(2)}`, {
    words: 1,
  }),
  one(
    "nesting just beyond the limit",
    `${header}${valued(1, "[".repeat(1_001) + "]".repeat(1_001))}${word(2)}`,
    corrupt(2),
  ),
  one("a million arrays in each other", `${header}${valued(1, "[".repeat(1e6) + "]".repeat(1e6))}`, corrupt(2)),
  one(
    "half a million objects in each other",
    `${header}${valued(1, '{"a":'.repeat(5e5) + 1 + "}".repeat(5e5))}`,
    corrupt(2),
  ),
  one("a million open arrays", `${header}${"[".repeat(1e6)}\n`, corrupt(2)),
  one("a prototype as a member of a value", header + valued(1, '{"__proto__":{"polluted":true}}') + word(2), {
    words: 1,
  }),
  one("a prototype as a member of an entry", header + entry(1, "a", null, '"__proto__":{"polluted":true}') + word(2), {
    words: 1,
  }),
  one(
    "a prototype as a member of a line",
    `${header}{"__proto__":{"seq":1,"polluted":true},"kind":"value"}\n`,
    corrupt(2),
  ),
  one("a constructor as a member of a value", header + valued(1, '{"constructor":{"prototype":{"polluted":true}}}'), {
    words: 0,
  }),
  one("a number that JSON can hold and a double cannot", header + valued(1, "1e999"), corrupt(2)),
];

/** Files that were once thought of, and what must become of each. */
export const corpus: readonly CorpusCase[] = [...headers, ...lines, ...bytes];
