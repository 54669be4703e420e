/** A graph becomes Mermaid text with few arrows, for the pages. */
import { expect, test } from "vitest";
import { stateDiagram } from "./mermaid.ts";

const state = (path: string) => ({ path, label: path });

test("a diagram names its states, marks those of other diagrams, and has one arrow between two states", () => {
  const text = stateDiagram({
    states: [state("up.closed"), { path: "up.open", label: "open", elsewhere: true }],
    entries: ["up.closed"],
    arrows: [
      { from: "up.closed", to: "up.open", label: "pushed by somebody who has the key" },
      { from: "up.closed", to: "up.open", label: "kicked" },
    ],
  });
  expect(text).toBe(`stateDiagram-v2
  state "up.closed" as up_closed
  state "open" as up_open
  [*] --> up_closed
  up_closed --> up_open: pushed by somebody<br>who has the key,<br>kicked
  classDef elsewhere stroke-dasharray: 4 4
  class up_open elsewhere
`);
});

test("several states that lead to the same many states by one event meet in one point", () => {
  const targets = ["one", "two", "three", "four", "five"];
  const arrows = ["crashed", "closed"].flatMap((from) => targets.map((to) => ({ from, to, label: "reopen" })));
  const text = stateDiagram({ states: [...targets, "crashed", "closed"].map(state), entries: [], arrows });
  expect(text.match(/-->.*reopen$/gm)).toEqual(["--> point_reopen: reopen", "--> point_reopen: reopen"]);
  expect(text.match(/point_reopen --> \w+$/gm)).toHaveLength(targets.length);
});
