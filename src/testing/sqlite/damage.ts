/** Random damage to the bytes of a database and its log. */
import fc from "fast-check";

/** The files of a session: the database, and its log, which may be empty. */
export interface SessionFiles {
  readonly file: Buffer;
  readonly log: Buffer;
}

/** A change to the bytes of one file. */
type Mutation = (bytes: Buffer) => Buffer;

const pageSize = 4_096;
const place = fc.nat(999_999).map((millionth) => millionth / 1e6);
const offset = (bytes: Buffer, at: number): number => Math.floor(at * bytes.length);
const page = (bytes: Buffer, at: number): number => Math.floor((at * bytes.length) / pageSize) * pageSize;

/** With `part` in the place of what stands at `at`. The length stays. */
function overwritten(bytes: Buffer, at: number, part: Uint8Array): Buffer {
  const changed = Buffer.from(bytes);
  if (at < bytes.length) changed.set(part.subarray(0, bytes.length - at), at);
  return changed;
}

const flippedBit = fc.tuple(place, fc.nat(7)).map(([at, bit]): Mutation => {
  return (bytes) => overwritten(bytes, offset(bytes, at), Buffer.of((bytes[offset(bytes, at)] ?? 0) ^ (1 << bit)));
});

const noise = fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 40 })).map(([at, part]): Mutation => {
  return (bytes) => overwritten(bytes, offset(bytes, at), part);
});

const cut = fc.tuple(place, fc.boolean()).map(([at, atPage]): Mutation => {
  return (bytes) => bytes.subarray(0, atPage ? page(bytes, at) : offset(bytes, at));
});

const zeroedPage = place.map((at): Mutation => {
  return (bytes) => overwritten(bytes, page(bytes, at), Buffer.alloc(pageSize));
});

const pageAt = (bytes: Buffer, at: number) => bytes.subarray(page(bytes, at), page(bytes, at) + pageSize);

const duplicatedPage = fc.tuple(place, place).map(([from, to]): Mutation => {
  return (bytes) => overwritten(bytes, page(bytes, to), pageAt(bytes, from));
});

const swappedPages = fc.tuple(place, place).map(([a, b]): Mutation => {
  return (bytes) => overwritten(overwritten(bytes, page(bytes, a), pageAt(bytes, b)), page(bytes, b), pageAt(bytes, a));
});

/** A field of the header of the file, or of the log and its first frame. */
const header = fc.tuple(fc.nat(107), fc.uint8Array({ minLength: 1, maxLength: 4 })).map(([at, part]): Mutation => {
  return (bytes) => overwritten(bytes, at, part);
});

/** The first bytes of a page describe its tree and point to its cells. */
const pageHeader = fc
  .tuple(place, fc.nat(40), fc.uint8Array({ minLength: 1, maxLength: 2 }))
  .map(([at, within, part]): Mutation => {
    return (bytes) => overwritten(bytes, page(bytes, at) + within, part);
  });

const mutation = fc.oneof(flippedBit, noise, cut, zeroedPage, duplicatedPage, swappedPages, header, {
  weight: 3,
  arbitrary: pageHeader,
});

/** Changes to the bytes of both files. */
export const damage: fc.Arbitrary<(files: SessionFiles) => SessionFiles> = fc
  .array(fc.tuple(fc.boolean(), mutation), { minLength: 1, maxLength: 3 })
  .map((mutations) => (files) => {
    let { file, log } = files;
    for (const [inLog, mutate] of mutations) {
      if (inLog && log.length > 0) log = mutate(log);
      else file = mutate(file);
    }
    return { file, log };
  });
