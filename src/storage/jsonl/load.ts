/** Reads a session file into memory, and tells a torn end from damage (A9, A13). */
import { isUtf8 } from "node:buffer";
import { CorruptSession, DurabilityError, NewerStorageVersion, NotASession, StorageFailed } from "../../errors.ts";
import type { SessionFiles } from "../files/files.ts";
import { MemoryState } from "../memory/state.ts";
import { decodeTransaction } from "./codec.ts";
import type { FileHistory } from "./garbage.ts";
import { decodeHeader, type SessionHeader } from "./header.ts";
import { lostBlocks, tornTail } from "./holes.ts";
import { LineSplitter, type RawLine } from "./line-splitter.ts";
import { nestsTooDeep } from "./nesting.ts";

/** What a session file holds. */
export interface LoadedSession {
  readonly header: SessionHeader;
  readonly state: MemoryState;
  /** The offset behind the last whole line; what follows up to `size` is torn. */
  readonly end: number;
  readonly size: number;
  readonly history: FileHistory;
}

/** A file of another kind may have no line feed for gigabytes. */
const greatestHeader = 64 * 1024;

/**
 * Reads a session file as a stream and changes nothing on disk. `undefined` when there is no file, or an empty one.
 *
 * @throws {NotASession | NewerStorageVersion | CorruptSession}
 * @throws {StorageFailed} when it cannot be read.
 */
export async function loadSession(files: SessionFiles, path: string): Promise<LoadedSession | undefined> {
  try {
    const kind = await files.kindOf(path);
    if (kind === "other") throw new NotASession(path, "it is no regular file");
    return kind === "absent" ? undefined : await new Loader(path, files.blockBytes).read(files.read(path));
  } catch (error) {
    throw error instanceof DurabilityError ? error : new StorageFailed(path, error);
  }
}

class Loader {
  readonly #path: string;
  readonly #blockBytes: number;
  readonly #splitter = new LineSplitter();
  readonly #state = new MemoryState();
  #header: SessionHeader | undefined;
  #lines = 0;
  #writes = 0;
  /** The offset behind what a compaction has left. */
  #left = 0;
  #end = 0;
  /** The first damaged line that may belong to a write which never became durable. */
  #damaged: DurabilityError | undefined;

  constructor(path: string, blockBytes: number) {
    this.#path = path;
    this.#blockBytes = blockBytes;
  }

  async read(chunks: AsyncIterable<Uint8Array>): Promise<LoadedSession | undefined> {
    for await (const chunk of chunks) {
      for (const line of this.#splitter.push(chunk)) this.#add(line);
      if (this.#header === undefined && this.#splitter.unfinished > greatestHeader) throw this.#headless();
    }
    const { size } = this.#splitter;
    if (size === 0) return undefined;
    if (this.#header === undefined) throw this.#headless();
    this.#judgeTail();
    this.#state.reserveBelow(this.#header.nextSeq);
    const history = { left: this.#left, writes: this.#writes };
    return { header: this.#header, state: this.#state, end: this.#end, size, history };
  }

  #add(line: RawLine): void {
    this.#lines++;
    if (this.#damaged !== undefined) {
      if (isUnsynced(line) || this.#isLost(line)) return;
      throw this.#damaged;
    }
    try {
      this.#replay(line);
      this.#end = line.end;
      // A compaction writes its next number to the header.
      if (this.#state.nextSeq <= (this.#header?.nextSeq ?? 0)) this.#left = line.end;
    } catch (error) {
      const corrupt = this.#corrupt(error);
      if (this.#header === undefined || !this.#isLost(line)) throw corrupt;
      this.#damaged = corrupt;
    }
  }

  /** What follows the last line feed was never acknowledged, unless its zero bytes say otherwise. */
  #judgeTail(): void {
    const { rest, size, unfinished } = this.#splitter;
    if (rest === undefined || tornTail({ bytes: rest, from: size - unfinished }, this.#blockBytes)) return;
    throw new CorruptSession(this.#path, this.#lines + 1, "zero bytes that no lost block has left");
  }

  #isLost({ bytes, from }: RawLine): boolean {
    return bytes !== undefined && lostBlocks({ bytes, from }, this.#blockBytes);
  }

  #replay({ bytes }: RawLine): void {
    if (this.#header === undefined) {
      if (bytes === undefined || !isUtf8(bytes)) throw this.#headless();
      this.#header = decodeHeader(this.#path, bytes.toString("utf8"));
      return;
    }
    if (bytes === undefined) throw new TypeError("a line that is too long");
    if (!isUtf8(bytes)) throw new TypeError("bytes that are no UTF-8");
    if (nestsTooDeep(bytes)) throw new TypeError("it nests too deep");
    const transaction = decodeTransaction(bytes.toString("utf8"));
    this.#state.replay(transaction);
    this.#writes += transaction.length;
  }

  /** What is wrong with the line that was read last. */
  #corrupt(error: unknown): DurabilityError {
    if (error instanceof NotASession || error instanceof NewerStorageVersion) return error;
    // The message of a syntax error quotes the line, whose content must not be told, also not as a cause.
    if (error instanceof SyntaxError) return new CorruptSession(this.#path, this.#lines, "it is no JSON");
    return new CorruptSession(this.#path, this.#lines, (error as Error).message, error);
  }

  #headless(): NotASession {
    return new NotASession(this.#path, "it does not begin with a header line");
  }
}

/** See {@link SessionLog}: the space in front of a line that was written before the lines in front of it were durable. */
function isUnsynced({ bytes }: RawLine): boolean {
  return bytes?.[0] === 0x20;
}
