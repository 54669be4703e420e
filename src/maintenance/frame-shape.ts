/** Tells whether a value is a frame of pi-ai (N3, N4, B5). */
import type { AssistantMessageFrame } from "@earendil-works/pi-ai";

type Fields = Readonly<Record<string, unknown>>;
type Check = (field: unknown) => boolean;

const isObject = (field: unknown): field is Fields =>
  typeof field === "object" && field !== null && !Array.isArray(field);
const isText: Check = (field) => typeof field === "string";
const isIndex: Check = (field) => Number.isSafeInteger(field) && (field as number) >= 0;
const isBlock = (type: string, text: string): Check => {
  return (field) => isObject(field) && field.type === type && isText(field[text]);
};
const isEmptyMessage: Check = (field) =>
  isObject(field) && field.role === "assistant" && Array.isArray(field.content) && field.content.length === 0;

const delta = { contentIndex: isIndex, delta: isText };
const end = { contentIndex: isIndex, content: isText };

/** What each kind of frame must have. The reducer checks optional fields. */
const required: Record<AssistantMessageFrame["type"], Readonly<Record<string, Check>>> = {
  start: { partial: isEmptyMessage },
  text_start: { contentIndex: isIndex, content: isBlock("text", "text") },
  text_delta: delta,
  text_end: end,
  thinking_start: { contentIndex: isIndex, content: isBlock("thinking", "thinking") },
  thinking_delta: delta,
  thinking_end: end,
  toolcall_start: { contentIndex: isIndex, toolCall: isBlock("toolCall", "id") },
  toolcall_checkpoint: { contentIndex: isIndex, json: isText },
  toolcall_delta: delta,
  toolcall_end: { contentIndex: isIndex, id: isText, name: isText, arguments: (field) => field !== undefined },
};

/**
 * What keeps a value from being a frame of pi-ai (N3, N4), `undefined` when it is one. Arguments of a tool call may be
 * anything (B5).
 */
export function frameDefect(candidate: unknown): string | undefined {
  if (!isObject(candidate) || typeof candidate.type !== "string") return "no frame";
  if (!Object.hasOwn(required, candidate.type)) return `no frame, but of type "${candidate.type}"`;
  const checks = required[candidate.type as AssistantMessageFrame["type"]];
  const wrong = Object.keys(checks).find((name) => !checks[name]?.(candidate[name]));
  return wrong === undefined ? undefined : `a ${candidate.type} frame with a wrong ${wrong}`;
}
