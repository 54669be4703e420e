/** The one line of appends and commits that two lanes share: who waits for whom, and what leaves it early. */
import { expect, test } from "vitest";
import type { CommitName } from "../vocabulary.ts";
import { nextToLand, requeue } from "./line.ts";
import type { LaneName, Place } from "./vocabulary.ts";

const place = (lane: LaneName, commit: CommitName, landed = false): Place => ({ lane, commit, landed, idle: false });

test("[C4] an append that has lost its response holds back no append of the other lane", () => {
  const line = [place("a", "finalize", true), place("b", "frame"), place("a", "frame"), place("b", "frame")];

  const fenced = requeue(line, "a", [], true);

  expect(fenced).toEqual([place("b", "frame"), place("b", "frame")]);
  expect(nextToLand([place("b", "frame", true), ...fenced.slice(1)])).toEqual(place("b", "frame"));
});

test("[K3] any other commit that has lost its operation keeps its turn, and holds back what follows", () => {
  const line = [place("a", "finalize", true), place("b", "frame"), place("a", "settle"), place("b", "frame")];

  const fenced = requeue(line, "a", [], true);

  expect(fenced[1]).toEqual({ ...place("a", "settle"), idle: true });
  expect(nextToLand([place("b", "frame", true), ...fenced.slice(1)])).toBeUndefined();
});

test("[C7] what a lane queues stands behind all that is on the line", () => {
  const line = [place("a", "settle", true), place("b", "frame")];

  const queued = requeue(line, "a", [{ commit: "terminal", landed: false }], true);

  expect(queued).toEqual([place("b", "frame"), place("a", "terminal")]);
});
