/** Every so many bytes a write is cut off; no divisor of anything. */
const stride = 1_999;

type Range = readonly [from: number, to: number];

/** One content of a file, and the next one. */
export interface Change {
  readonly before: Buffer;
  readonly after: Buffer;
  /** The file is written in pieces of so many bytes, from the first that is different. */
  readonly unit: number;
  /** And reaches the disk in blocks of one of these sizes. */
  readonly blockSizes: readonly number[];
}

/**
 * What a loss of power may leave of a file while it was turned from one content into another. The writes may have reached
 * the disk in any order and by blocks of any size. What has not is as it was, or zero; where nothing was, another block of
 * the same write may have taken its place.
 */
export function* halfWritten({ before, after, unit, blockSizes }: Change): Generator<Buffer> {
  const start = startOfChange(before, after, unit);
  yield before;
  yield after;
  for (let at = start; at < after.length; at += stride) yield mixed(before, after, [[start, at]]);
  for (const size of blockSizes) {
    const blocks = changedBlocks(before, after, start, size);
    for (const [index, block] of blocks.entries()) {
      yield mixed(
        before,
        after,
        blocks.filter((other) => other !== block),
      );
      if (size === 4_096) yield mixed(before, after, [block]);
      const next = blocks[index + 1];
      if (block[0] < before.length) yield zeroed(after, block);
      else if (next !== undefined && index % 2 === 0) yield swapped(after, block, next);
    }
    for (const rest of [0, 1])
      yield mixed(
        before,
        after,
        blocks.filter((_, index) => index % 2 === rest),
      );
  }
}

function startOfChange(before: Buffer, after: Buffer, unit: number): number {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  return at - (at % unit);
}

/** The blocks of a file system that were written, the first of them perhaps only from the middle on. */
function changedBlocks(before: Buffer, after: Buffer, start: number, size: number): Range[] {
  const blocks: Range[] = [];
  for (let from = start, to = start; from < after.length; from = to) {
    to = Math.min(from - (from % size) + size, after.length);
    if (!before.subarray(from, to).equals(after.subarray(from, to))) blocks.push([from, to]);
  }
  return blocks;
}

/** The old content with these ranges of the new one, and no longer than they reach. */
function mixed(before: Buffer, after: Buffer, ranges: readonly Range[]): Buffer {
  const result = Buffer.alloc(Math.max(before.length, ...ranges.map(([, to]) => to)));
  before.copy(result);
  for (const [from, to] of ranges) after.copy(result, from, from, to);
  return result;
}

function zeroed(content: Buffer, [from, to]: Range): Buffer {
  return Buffer.from(content).fill(0, from, to);
}

/** With the content of each block in the place of the other. */
function swapped(content: Buffer, [from, middle]: Range, [second, to]: Range): Buffer {
  const parts = [content.subarray(second, to), content.subarray(middle, second), content.subarray(from, middle)];
  return Buffer.concat([content.subarray(0, from), ...parts, content.subarray(to)]);
}
