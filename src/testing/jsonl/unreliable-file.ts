/** Chooses one of the numbers from 0 up to but without `count`. */
export type Choose = (count: number) => number;

/** A change that is not on the disk yet. */
type Change =
  | { readonly kind: "append"; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly size: number };

/** Much smaller than a real one, so that small files have many. */
export const sectorBytes = 16;

let files = 0;

/** A file with a page cache in front of it. */
export class SimulatedFile {
  readonly id = ++files;
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

  /**
   * What is on the disk, or everything, or all up to somewhere in a change; or each sector as it was at some moment since
   * the last sync.
   */
  afterPowerCut(choose: Choose): Buffer {
    const moments = [this.#onDisk];
    for (const change of this.#changes) moments.push(applied(moments.at(-1) as Buffer, change));
    switch (choose(4)) {
      case 0:
        return this.#onDisk;
      case 1:
        return moments.at(-1) as Buffer;
      case 2:
        return this.#inTheMiddle(moments, choose);
      default:
        return mixed(moments, Math.min(...this.#changes.map(placeOf)), choose);
    }
  }

  #inTheMiddle(moments: readonly Buffer[], choose: Choose): Buffer {
    const moment = choose(moments.length);
    const before = moments[moment] as Buffer;
    const next = this.#changes[moment];
    if (next?.kind !== "append") return before;
    return applied(before, { ...next, bytes: next.bytes.subarray(0, choose(next.bytes.length + 1)) });
  }
}

const placeOf = (change: Change): number => (change.kind === "append" ? change.at : change.size);

/** The size and each sector from `changed` on as they were at some moment; most as they were last, so that whole lines are left. */
function mixed(moments: readonly Buffer[], changed: number, choose: Choose): Buffer {
  const last = moments.length - 1;
  const any = () => moments[choose(12) === 0 ? choose(moments.length) : last] as Buffer;
  const result = Buffer.alloc(any().length);
  moments[0]?.copy(result);
  const first = Math.floor(Math.min(changed, result.length) / sectorBytes) * sectorBytes;
  for (let from = first; from < result.length; from += sectorBytes) {
    result.fill(0, from, Math.min(from + sectorBytes, result.length));
    any()
      .subarray(from, from + sectorBytes)
      .copy(result, from);
  }
  return result;
}

/** A gap between the end of the file and what is written reads as zero bytes. */
function applied(file: Buffer, change: Change): Buffer {
  if (change.kind === "truncate") return file.subarray(0, change.size);
  const result = Buffer.alloc(Math.max(file.length, change.at + change.bytes.length));
  file.copy(result);
  change.bytes.copy(result, change.at);
  return result;
}
