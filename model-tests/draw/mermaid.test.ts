import { describe, expect, test } from "vitest";
import { setup } from "xstate";
import { operationMachine } from "../../machines/index.ts";
import { mermaidOf, mermaidOverview } from "./mermaid.ts";

const door = setup({}).createMachine({
  id: "door",
  initial: "up",
  states: {
    up: {
      initial: "closed",
      on: { burn: "ashes" },
      states: {
        closed: { on: { open: "open", knock: {} } },
        open: { initial: "wide", states: { wide: {} }, on: { close: [{ guard: () => true, target: "closed" }] } },
      },
    },
    ashes: {},
  },
});

describe("a state diagram", () => {
  test("nests the states and names the events, without guards", () => {
    expect(mermaidOf(door)).toMatchSnapshot();
  });

  test("as overview keeps the places, and draws once what all states share", () => {
    expect(mermaidOverview(door)).toMatchSnapshot();
  });

  test("is the same text every time", () => {
    expect(mermaidOf(operationMachine)).toBe(mermaidOf(operationMachine));
  });

  test("declares every state that an arrow of it touches", () => {
    for (const text of [mermaidOf(operationMachine), mermaidOverview(operationMachine)]) {
      const declared = new Set([...text.matchAll(/^ *state (?:"[^"]*" as )?(\w+)/gm)].map(([, id]) => id));
      for (const [, from, to] of text.matchAll(/^ *(\S+) --> (\w+)/gm)) {
        for (const id of [from, to]) if (id !== "[*]") expect(declared).toContain(id);
      }
    }
  });
});
