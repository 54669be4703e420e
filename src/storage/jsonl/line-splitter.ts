/** Cuts the bytes of a session file into lines (A9). */

/** What follows the last line feed, up to and including this one. */
export interface RawLine {
  /** Without the line feed; `undefined` when it is longer than a line may be. */
  readonly bytes: Buffer | undefined;
  /** The offset of its first byte. */
  readonly from: number;
  /** The offset just behind its line feed. */
  readonly end: number;
}

/** No line is longer, in bytes, when written; a longer one is not kept in memory when read. Strings end at twice this. */
export const greatestLine = 256 * 1024 * 1024;

const lineFeed = 0x0a;

/** Cuts a stream of bytes at its line feeds, and at nothing else (A9). */
export class LineSplitter {
  readonly #greatest: number;
  #parts: Buffer[] = [];
  #unfinished = 0;
  #end = 0;

  constructor(greatest = greatestLine) {
    this.#greatest = greatest;
  }

  /** How many bytes came since the last line feed. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** How many bytes came. */
  get size(): number {
    return this.#end + this.#unfinished;
  }

  /** What came since the last line feed; `undefined` when it is longer than a line may be. */
  get rest(): Buffer | undefined {
    return this.#unfinished > this.#greatest ? undefined : this.#whole();
  }

  /** The lines that end in `chunk`, which must not change afterwards. */
  *push(chunk: Uint8Array): Generator<RawLine> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let to = bytes.indexOf(lineFeed); to !== -1; to = bytes.indexOf(lineFeed, from)) {
      this.#keep(bytes.subarray(from, to));
      from = to + 1;
      yield this.#finish();
    }
    this.#keep(bytes.subarray(from));
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#unfinished += part.length;
    if (this.#unfinished > this.#greatest) this.#parts = [];
    else this.#parts.push(part);
  }

  #finish(): RawLine {
    const bytes = this.rest;
    const from = this.#end;
    this.#end += this.#unfinished + 1;
    this.#unfinished = 0;
    this.#parts = [];
    return { bytes, from, end: this.#end };
  }

  #whole(): Buffer {
    const [first] = this.#parts;
    return this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
  }
}
