/** A counterexample is drawn so that its reader sees who did what, and where harness and machine part. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { mismatch } from "../drive/mismatch.ts";
import { explore, type Graph } from "../explore/graph.ts";
import { edgesOf } from "../verify/labels.ts";
import { sequenceDiagram } from "./sequence-diagram.ts";

let graph: Graph;
beforeAll(() => {
  graph = explore(boundsByName.small);
});

const draw = (...labels: readonly string[]): string =>
  sequenceDiagram(
    graph,
    edgesOf(graph, labels).map(({ index }) => index),
    mismatch("C7", "commits at the store", "settle", "none"),
  );
const streaming = ["accept", "land", "reply", "activate", "land", "reply"] as const;

describe("a sequence diagram", () => {
  test("shows who does what, what the harness answers, and where the two part", () => {
    expect(draw(...streaming, "stream.start", "cancel", "listener.release", "land", "reply")).toMatchSnapshot();
  });

  test("gives an outside party a column of its own only when it acts", () => {
    expect(draw(...streaming, "finalize", "land")).toMatchSnapshot();
    expect(draw("accept")).not.toContain("Outside");
  });

  test("marks the failing step without colour, and claims nothing about what came of it", () => {
    const lines = draw("accept", "land").split("\n");
    const failing = lines.filter((line) => /^ *✗ +│/.test(line));
    expect(failing).toHaveLength(1);
    expect(failing[0]).toContain("accept lands");
    expect(failing[0]).not.toContain("ready");
  });

  test("draws every action of the machine", () => {
    for (const edge of graph.edges) {
      const one = sequenceDiagram(graph, [edge.index], mismatch("C7", "request calls", "a", "b"));
      expect(one.split("\n")[1], edge.action).toMatch(/[►◄]|process crashes|retry time/);
      expect(one, edge.action).not.toContain("…");
    }
  });
});
