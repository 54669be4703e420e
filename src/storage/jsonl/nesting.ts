/** Judges the nesting of a line before it is parsed: a parser would need memory and time for each level (A8, A9). */
import { greatestDepth } from "../admission/depth.ts";

/** A transaction holds writes, and a write holds what is limited. */
const greatestNesting = greatestDepth + 2;

const [quote, backslash, openArray, closeArray, openObject, closeObject] = [...'"\\[]{}'].map((c) => c.charCodeAt(0));

/** Whether arrays and objects stand in each other deeper in this line than in any that a store writes. */
export function nestsTooDeep(line: Uint8Array): boolean {
  // Each level takes a byte.
  if (line.length <= greatestNesting) return false;
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (byte === quote) at = endOfText(line, at);
    else if (byte === openArray || byte === openObject) depth++;
    else if (byte === closeArray || byte === closeObject) depth--;
    if (depth > greatestNesting) return true;
  }
  return false;
}

/** The index of the quote that ends the text, or the end of the line. */
function endOfText(line: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < line.length && line[at] !== quote) at += line[at] === backslash ? 2 : 1;
  return at;
}
