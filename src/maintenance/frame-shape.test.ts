/** Which values are frames (N3, N4, B5). */
import { describe, expect, test } from "vitest";
import { frameDefect } from "./frame-shape.ts";

describe("a frame", () => {
  const message = { role: "assistant", content: [] };

  test.each<[string, object]>([
    ["start", { type: "start", partial: message }],
    ["text_start", { type: "text_start", contentIndex: 0, content: { type: "text", text: "" } }],
    ["text_end", { type: "text_end", contentIndex: 1, content: "" }],
    ["thinking_start", { type: "thinking_start", contentIndex: 0, content: { type: "thinking", thinking: "a" } }],
    ["thinking_delta", { type: "thinking_delta", contentIndex: 0, delta: "\ud83d" }],
    ["thinking_end", { type: "thinking_end", contentIndex: 0, content: "a", redacted: true }],
    [
      "toolcall_start",
      { type: "toolcall_start", contentIndex: 0, toolCall: { type: "toolCall", id: "c", name: "", arguments: {} } },
    ],
    ["toolcall_checkpoint", { type: "toolcall_checkpoint", contentIndex: 0, json: "{" }],
    ["toolcall_delta", { type: "toolcall_delta", contentIndex: 0, delta: "" }],
    ["toolcall_end", { type: "toolcall_end", contentIndex: 0, id: "c", name: "n", arguments: [1] }],
  ])("[N3] of type %s is one, and none without one of its fields", (_type, frame) => {
    expect(frameDefect(frame)).toBeUndefined();
    const { type, redacted: _optional, ...fields } = frame as { type: string; redacted?: boolean };
    for (const name of Object.keys(fields)) {
      expect(frameDefect({ ...frame, [name]: undefined })).toBe(`a ${type} frame with a wrong ${name}`);
    }
  });

  test.each([
    ["a start that has content already", { type: "start", partial: { ...message, content: [{}] } }],
    ["a block of another type", { type: "text_start", contentIndex: 0, content: { type: "thinking", thinking: "" } }],
    ["a negative index", { type: "text_delta", contentIndex: -1, delta: "" }],
    ["a name that objects have anyway", { type: "constructor" }],
    ["a list", [{ type: "text_delta", contentIndex: 0, delta: "a" }]],
    ["null", null],
  ])("[N3][N4] %s is none", (_what, candidate) => {
    expect(frameDefect(candidate)).toBeDefined();
  });
});
