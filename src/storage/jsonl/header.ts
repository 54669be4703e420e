/** The first line of a session file (A9, A10). */
import { NewerStorageVersion, NotASession } from "../../errors.ts";
import { isSequenceNumber } from "../contract/sequence.ts";

const format = "assistant-durability/session";
const storageVersion = 1;

/** The first line of a session file (A9). */
export interface SessionHeader {
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** No write of this session gets a lower number from here on (A10). */
  readonly nextSeq: number;
}

export function encodeHeader({ sessionId, createdAt, nextSeq }: SessionHeader): string {
  return JSON.stringify({ format, storageVersion, sessionId, createdAt, nextSeq });
}

/**
 * @throws {NotASession} when `line` does not name the format.
 * @throws {NewerStorageVersion}
 * @throws {TypeError} when the header of this format is malformed.
 */
export function decodeHeader(path: string, line: string): SessionHeader {
  const header = parseObject(line);
  if (header?.format !== format) throw new NotASession(path, `its first line does not name the format "${format}"`);
  const { storageVersion: version, sessionId, createdAt, nextSeq } = header;
  if (typeof version !== "number") throw new TypeError("storageVersion is no number");
  if (version > storageVersion) throw new NewerStorageVersion(path, version, storageVersion);
  if (version !== storageVersion) throw new TypeError(`there is no storageVersion ${version}`);
  if (typeof sessionId !== "string") throw new TypeError("sessionId is no string");
  if (typeof createdAt !== "number") throw new TypeError("createdAt is no number");
  if (!isSequenceNumber(nextSeq)) throw new TypeError("nextSeq is no sequence number");
  return { sessionId, createdAt, nextSeq };
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
