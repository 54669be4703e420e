/** Tells the blocks of a file that a loss of power has lost from other damage (A9, A13). */

import { nestsTooDeep } from "./nesting.ts";

/** A part of a session file that no line feed divides. */
interface Part {
  readonly bytes: Buffer;
  /** Where it begins in the file. */
  readonly from: number;
}

/**
 * Whether there are zero bytes in the line, and all of them can be blocks that never reached the disk. A file system shows
 * such a block as zero bytes, which JSON never contains. They begin on the border of a block, or where the write began,
 * since its first block may have held older lines before; and they end on a border. Any other zero byte is damage (A9).
 */
export function lostBlocks({ bytes, from }: Part, blockBytes: number): boolean {
  const runs = zeroRuns(bytes);
  const onBorder = (index: number) => (from + index) % blockBytes === 0;
  const fits = runs.every(([begin, end]) => (begin === 0 || onBorder(begin)) && onBorder(end));
  return runs.length > 0 && fits && !lostItsMark(bytes);
}

/** Whether the end of a file can be all that reached the disk of a write: the last of its blocks may be lost too. */
export function tornTail({ bytes, from }: Part, blockBytes: number): boolean {
  const onBorder = (index: number) => (from + index) % blockBytes === 0;
  return zeroRuns(bytes).every(
    ([begin, end]) => (begin === 0 || onBorder(begin)) && (end === bytes.length || onBorder(end)),
  );
}

/** A transaction behind one zero byte has lost the space in front of it, which is no beginning of a write. */
function lostItsMark(bytes: Buffer): boolean {
  if (bytes[0] !== 0 || bytes[1] === 0 || nestsTooDeep(bytes)) return false;
  try {
    JSON.parse(bytes.toString("utf8", 1));
    return true;
  } catch {
    return false;
  }
}

/** Where zero bytes stand: from the first index up to but without the second. */
function zeroRuns(bytes: Buffer): [begin: number, end: number][] {
  const runs: [number, number][] = [];
  for (let begin = bytes.indexOf(0); begin !== -1; begin = bytes.indexOf(0, runs.at(-1)?.[1])) {
    let end = begin + 1;
    while (end < bytes.length && bytes[end] === 0) end++;
    runs.push([begin, end]);
  }
  return runs;
}
