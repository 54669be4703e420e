/** Chooses one of the numbers from 0 up to but without `count`. */
export type Choose = (count: number) => number;

/** A change that is not on the disk yet. */
type Change =
  | { readonly kind: "append"; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly size: number };

/** Much smaller than a real one, so that small files have many. */
const sectorBytes = 16;

/** A file with a page cache in front of it. */
export class SimulatedFile {
  cached: Buffer;
  #onDisk: Buffer;
  #changes: Change[] = [];

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.cached = bytes;
    this.#onDisk = bytes;
  }

  append(bytes: Uint8Array): void {
    const change = { kind: "append", at: this.cached.length, bytes: Buffer.from(bytes) } as const;
    this.cached = Buffer.concat([this.cached, bytes]);
    this.#changes.push(change);
  }

  truncate(size: number): void {
    this.cached = this.cached.subarray(0, size);
    this.#changes.push({ kind: "truncate", size });
  }

  sync(): void {
    for (const change of this.#changes) this.#onDisk = applied(this.#onDisk, change);
    this.#changes = [];
  }

  /** As Linux does it: what could not be written stays readable, but counts as clean, and no later sync writes it. */
  failSync(): void {
    this.#changes = [];
  }

  /** Of each change that is not on the disk: all, nothing, a beginning, or any of its sectors. */
  afterPowerCut(choose: Choose): Buffer {
    let left = this.#onDisk;
    for (const change of this.#changes) {
      if (change.kind === "append") for (const part of partsLeft(change, choose)) left = applied(left, part);
      else if (choose(2) === 0) left = applied(left, change);
    }
    return left;
  }
}

type Append = Extract<Change, { kind: "append" }>;

function partsLeft(change: Append, choose: Choose): Append[] {
  switch (choose(4)) {
    case 0:
      return [];
    case 1:
      return [change];
    case 2:
      return [part(change, 0, choose(change.bytes.length + 1))];
    default: {
      const sectors: Append[] = [];
      for (let from = 0; from < change.bytes.length; ) {
        const to = from + sectorBytes - ((change.at + from) % sectorBytes);
        if (choose(2) === 0) sectors.push(part(change, from, to));
        from = to;
      }
      return sectors;
    }
  }
}

function part({ at, bytes }: Append, from: number, to: number): Append {
  return { kind: "append", at: at + from, bytes: bytes.subarray(from, to) };
}

/** A gap between the end of the file and what is written reads as zero bytes. */
function applied(file: Buffer, change: Change): Buffer {
  if (change.kind === "truncate") return file.subarray(0, change.size);
  const result = Buffer.alloc(Math.max(file.length, change.at + change.bytes.length));
  file.copy(result);
  change.bytes.copy(result, change.at);
  return result;
}
