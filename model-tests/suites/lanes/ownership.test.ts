/** Which lane a transaction belongs to is read from its rows, for any harness. */
import { describe, expect, test } from "vitest";
import { laneState, operationMeta, operationState, pendingAssistantFrames, type Write } from "../../../src/index.ts";
import { Ownership } from "./ownership.ts";

const set = ({ namespace, key }: { namespace: string; key: string }): Write => ({
  kind: "value",
  op: "set",
  namespace,
  key,
  value: {},
});
const append = ({ namespace, key }: { namespace: string; key: string }): Write => ({
  kind: "list",
  op: "append",
  namespace,
  key,
  value: {},
});

/** Lane a has operation 1 open, lane b operation 2. */
function accepted(): Ownership {
  const ownership = new Ownership();
  ownership.claim([set(operationMeta("1")), set(operationState("1")), set(laneState("a"))]);
  ownership.claim([set(operationMeta("2")), set(operationState("2")), set(laneState("b"))]);
  return ownership;
}

describe("the lane of a transaction", () => {
  test("is that of the lane state it writes, and from then on of its operation", () => {
    const ownership = accepted();

    expect(ownership.claim([set(operationState("2"))])).toBe("b");
    expect(ownership.claim([append(pendingAssistantFrames("1", "response"))])).toBe("a");
  });

  test("[C4] is refused when the transaction writes rows of both lanes", () => {
    expect(() => accepted().claim([set(operationState("1")), set(operationState("2"))])).toThrow("to both");
  });

  test("[C4] is refused when a frame of one lane goes under a response of the other", () => {
    const ownership = accepted();
    ownership.claim([append(pendingAssistantFrames("2", "response of b"))]);

    expect(() => ownership.claim([append(pendingAssistantFrames("1", "response of b"))])).toThrow("to both");
  });

  test("is refused when nothing tells it", () => {
    expect(() => accepted().claim([set(operationState("3"))])).toThrow("to none");
  });
});
