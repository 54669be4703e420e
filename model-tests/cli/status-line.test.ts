/** The lines that show a user how far a run is: how often they are drawn, and where they are not. */
import { expect, test } from "vitest";
import type { Io } from "./io.ts";
import { statusLine } from "./status-line.ts";

function terminal(showsProgress: boolean): { io: Io; written: string[] } {
  const written: string[] = [];
  const io: Io = {
    stdout: () => {},
    stderr: (text) => void written.push(text),
    colour: false,
    width: 100,
    showsProgress,
    program: "npx durability",
  };
  return { io, written };
}

test("each change of what is done is shown at once, and the bars stand below one another", () => {
  const { io, written } = terminal(true);
  const status = statusLine(io);

  status.show("driving the race table", { done: 1, total: 2 });
  status.show("driving", { done: 24, total: 24 });
  status.show("nothing to do", { done: 0, total: 0 });
  status.show("measuring");
  status.clear();

  const erased = "\r\u001b[2K";
  expect(written).toEqual([
    `${erased}driving the race table  ━━━━━━━━━━━━────────────   50 %`,
    `${erased}driving                 ━━━━━━━━━━━━━━━━━━━━━━━━  100 %`,
    `${erased}nothing to do           ━━━━━━━━━━━━━━━━━━━━━━━━  100 %`,
    `${erased}measuring`,
    erased,
  ]);
});

test("the same words are drawn anew at most every 80 ms", () => {
  const { io, written } = terminal(true);
  let nowMs = 0;
  const status = statusLine(io, () => nowMs);

  for (; nowMs <= 200; nowMs += 10) status.show("driving", { done: nowMs, total: 200 });

  expect(written.map((text) => text.match(/\d+ %/)?.[0])).toEqual(["0 %", "40 %", "80 %"]);
});

test("nothing is written where stderr is no terminal", () => {
  const { io, written } = terminal(false);
  const status = statusLine(io);

  status.show("driving", { done: 1, total: 2 });
  status.clear();

  expect(written).toEqual([]);
});

test("without a terminal a run tells once a minute how far it has come, and a short one nothing", () => {
  const { io, written } = terminal(false);
  let nowMs = 0;
  const status = statusLine(io, () => nowMs);

  for (nowMs = 0; nowMs < 130_000; nowMs += 10_000)
    status.show("driving the race table", { done: nowMs, total: 200_000 });
  status.clear();

  expect(written).toEqual(["driving the race table: 30 %\n", "driving the race table: 60 %\n"]);
});
