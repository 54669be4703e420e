/** Addresses and what they refuse. */
import { describe, expect, test } from "vitest";
import { appendList, deleteList, setValue } from "../storage/contract/writes.ts";
import { list, type Value, value } from "./address.ts";
import { branchTip, operationResult, pendingAssistantFrames } from "./builtins.ts";

describe("addresses", () => {
  test("[A1] an address is frozen, and equal names make equal addresses", () => {
    const address = value<number>("space", "key");

    expect(Object.isFrozen(address)).toBe(true);
    expect(address).toEqual(value<number>("space", "key"));
    expect(value("space")).toEqual({ namespace: "space", key: "", kind: "value" });
    expect(list("space", "key")).toEqual({ namespace: "space", key: "key", kind: "list" });
  });

  test.each([
    ["", "key"],
    ["a\u0000b", "key"],
    ["a", "k\u0000"],
    ["\ud800", "key"],
    ["a", "k\udc00"],
    ["a", "\udc00\ud800"],
  ])("[A1] refuses namespace %j with key %j", (namespace, key) => {
    expect(() => value(namespace, key)).toThrow(TypeError);
    expect(() => list(namespace, key)).toThrow(TypeError);
  });

  test("[A1] accepts a surrogate pair", () => {
    expect(value("a", "\u{10000}").key).toBe("\u{10000}");
  });

  test("[A2] built-in addresses have the documented names", () => {
    expect(branchTip("main")).toEqual({ namespace: "pi.branch.tip", key: "main", kind: "value" });
    expect(operationResult("o")).toEqual({ namespace: "pi.result", key: "o", kind: "value" });
    expect(pendingAssistantFrames("o", "r")).toEqual({
      namespace: "pi.pending.assistant_frame",
      key: "o:r",
      kind: "list",
    });
  });

  test("[A1] wrong types do not compile", () => {
    const numbers = value<number>("n");
    const words = list<string>("w");
    // @ts-expect-error a string is no number
    setValue(numbers, "one");
    // @ts-expect-error a number is no string
    appendList(words, 1);
    // @ts-expect-error a value address is no list address
    deleteList(numbers);
    // @ts-expect-error T is invariant: a wider value may be written through the wider address
    const wider: Value<number | string> = numbers;
    // @ts-expect-error T is invariant: a wider value may be read through the narrower address
    const narrower: Value<1> = numbers;

    expect([wider, narrower]).toEqual([numbers, numbers]);
  });
});
