/** The frames of pi-ai as an invariant sees them: a validator of stored elements, and what a frame mirrors (N3, N5). */

type Fields = Readonly<Record<string, unknown>>;
/** Whether a value has fields. */
export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isIndex = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

/** The frame shapes of pi-ai, restated as a validator: the keys each must have, beside `type` and `contentIndex`. */
const frameFields: Readonly<Record<string, Readonly<Record<string, (value: unknown) => boolean>>>> = {
  text_start: { content: (value) => isObject(value) && value.type === "text" && typeof value.text === "string" },
  text_delta: { delta: (value) => typeof value === "string" },
  text_end: { content: (value) => typeof value === "string" },
  thinking_start: {
    content: (value) => isObject(value) && value.type === "thinking" && typeof value.thinking === "string",
  },
  thinking_delta: { delta: (value) => typeof value === "string" },
  thinking_end: { content: (value) => typeof value === "string" },
  toolcall_start: { toolCall: (value) => isObject(value) && value.type === "toolCall" && typeof value.id === "string" },
  toolcall_checkpoint: { json: (value) => typeof value === "string" },
  toolcall_delta: { delta: (value) => typeof value === "string" },
  toolcall_end: {
    id: (value) => typeof value === "string",
    name: (value) => typeof value === "string",
    // Whatever they are: tool arguments stay unvalidated (B5).
    arguments: (value) => value !== undefined,
  },
};

/** What keeps a stored element from being a frame; `undefined` when it is one. */
export function frameDefect(element: unknown): string | undefined {
  if (!isObject(element) || typeof element.type !== "string") return "the element is no frame";
  if (element.type === "start") {
    const { partial } = element;
    const empty =
      isObject(partial) &&
      partial.role === "assistant" &&
      Array.isArray(partial.content) &&
      partial.content.length === 0;
    return empty ? undefined : "a start frame without empty content";
  }
  const fields = Object.hasOwn(frameFields, element.type) ? frameFields[element.type] : undefined;
  if (fields === undefined) return `an element of type ${element.type}`;
  if (!isIndex(element.contentIndex)) return `a ${element.type} frame without a content index`;
  const bad = Object.entries(fields).find(([name, isValid]) => !isValid(element[name]));
  return bad === undefined ? undefined : `a ${element.type} frame with a wrong ${bad[0]}`;
}

/** The provider event that a frame mirrors, in the words of a history. */
export function frameKey(element: unknown): string {
  if (!isObject(element)) return "no frame";
  // A checkpoint stands for the deltas of an advanced tool call (B6).
  const type = element.type === "toolcall_checkpoint" ? "toolcall_delta" : element.type;
  return `${String(type)} ${element.contentIndex ?? ""}`;
}
