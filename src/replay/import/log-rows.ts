/** Reads a recorded session log whose model streams are rows of chunks, packed or one by one. */
import { ImportRefused } from "../../errors.ts";

/** The version of the logs that can be imported. */
const logVersion = 0;

/** One chunk of a model stream. */
export type Chunk =
  | { type: "block-start"; index: number; blockType: "text" | "reasoning" | "tool-call" }
  | { type: "text-delta" | "reasoning-delta"; index: number; text: string }
  | { type: "tool-call-delta"; index: number; id?: string; name?: string; argumentsDelta: string }
  | { type: "block-end"; index: number; block: EndedBlock }
  | { type: "usage"; usage: LogUsage }
  | { type: "finish"; reason: { kind: string; message?: string } };

/** The whole value of a block, told at its end. */
export interface EndedBlock {
  text?: string;
  /** JSON. */
  arguments?: string;
}

export interface LogUsage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  reasoningTokens?: number;
}

/** A logical event of a log: packed rows stand for several. */
export interface LogEvent {
  type: string;
  /** Contiguous over the whole log. */
  seq: number;
  time: number;
  data: Record<string, unknown>;
  /** The line of the file that it came from. */
  line: number;
}

/** A log as its events. */
export interface SessionLog {
  createdAt: number;
  events: LogEvent[];
}

interface PackedData {
  turn: number;
  step: number;
  index: number;
  dt: number[];
  texts?: string[];
  args?: string[];
  id?: string;
  name?: string;
}

const packed: Record<string, "text-delta" | "reasoning-delta" | "tool-call-delta"> = {
  "text-chunks": "text-delta",
  "reasoning-chunks": "reasoning-delta",
  "tool-call-chunks": "tool-call-delta",
};

/**
 * The events of a log, packed rows taken apart.
 *
 * @throws {ImportRefused} when it is no log, has another version (P7), or its sequence has a hole.
 */
export function readSessionLog(text: string): SessionLog {
  const lines = text.split("\n").filter((line, index, all) => index < all.length - 1 || line !== "");
  const createdAt = readHeader(parse(lines[0] ?? "", 1));
  const events = lines.slice(1).flatMap((line, index) => unpack(parse(line, index + 2), index + 2));
  for (const [index, event] of events.entries()) {
    if (event.seq === index + (events[0]?.seq ?? 0)) continue;
    throw new ImportRefused(event.line, `its sequence number is ${event.seq}, so events before it are missing`);
  }
  return { createdAt, events };
}

function parse(line: string, number: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new ImportRefused(number, "it is no JSON", error);
  }
  if (typeof value !== "object" || value === null) throw new ImportRefused(number, "it is no object");
  return value as Record<string, unknown>;
}

function readHeader({ type, version, createdAt }: Record<string, unknown>): number {
  if (type !== "session" || typeof createdAt !== "number")
    throw new ImportRefused(1, "it is no header of a session log");
  if (version === logVersion) return createdAt;
  throw new ImportRefused(1, `the log has version ${JSON.stringify(version)}, only version ${logVersion} can be read`);
}

function unpack(row: Record<string, unknown>, line: number): LogEvent[] {
  const { type, data } = row as { type: string; data: Record<string, unknown> };
  const delta = packed[type];
  if (typeof type !== "string" || typeof data !== "object" || data === null)
    throw new ImportRefused(line, "it is no event");
  if (delta === undefined) {
    if (!Number.isSafeInteger(row.seq) || !Number.isSafeInteger(row.time))
      throw new ImportRefused(line, "it is no event");
    return [{ type, seq: row.seq as number, time: row.time as number, data, line }];
  }
  return unpackRun(row as { seq0: number; time0: number }, data as unknown as PackedData, delta, line);
}

function unpackRun(
  { seq0, time0 }: { seq0: number; time0: number },
  { turn, step, index, dt, texts, args, id, name }: PackedData,
  type: "text-delta" | "reasoning-delta" | "tool-call-delta",
  line: number,
): LogEvent[] {
  const members = type === "tool-call-delta" ? args : texts;
  const numbers = [seq0, time0, index, ...(Array.isArray(dt) ? dt : [Number.NaN])];
  const fits = Array.isArray(members) && members.every((member) => typeof member === "string");
  if (!fits || !numbers.every(Number.isSafeInteger) || dt.length !== members.length - 1) {
    throw new ImportRefused(line, "its counts do not belong together");
  }
  let time = time0;
  return members.map((member, at) => {
    time += at === 0 ? 0 : (dt[at - 1] ?? 0);
    const chunk: Chunk =
      type === "tool-call-delta"
        ? { type, index, ...(id !== undefined && { id }), ...(name !== undefined && { name }), argumentsDelta: member }
        : { type, index, text: member };
    return { type: "assistant/chunk", seq: seq0 + at, time, data: { turn, step, chunk }, line };
  });
}
