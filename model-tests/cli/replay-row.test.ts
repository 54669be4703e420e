/** `durability replay` for a failure of a race row, where every single step matches. */
import { expect, test } from "vitest";
import { boundsByName, races } from "../../machines/index.ts";
import { type RunResult, run } from "../drive/run.ts";
import { explore } from "../explore/graph.ts";
import { edgesOf } from "../verify/labels.ts";
import { loadSubject } from "../verify/subject.ts";
import { rowIsViolated } from "./replay-row.ts";

test("a violated race row shows again in a replay, though no single step parts from the machine", async () => {
  const graph = explore(boundsByName.small);
  const subject = await loadSubject({ sut: "reference", store: "memory" });
  const edges = edgesOf(graph, ["accept", "land", "reply", "activate", "cancel", "land", "reply"]);
  const result = await run(subject, graph, edges);
  const required = races.find(({ id }) => id === "X2")?.required[0];
  const counterexample = {
    field: "race X2",
    expected: required?.sentence ?? "",
    actual: "after_response started after the cancel",
  };
  expect(rowIsViolated(graph, result, counterexample)).toBe(false);

  const withHook: RunResult = {
    ...result,
    steps: result.steps.map((step, at) => (at === 5 ? { ...step, fact: { ...step.fact, hooks: 1 } } : step)),
  };
  expect(rowIsViolated(graph, withHook, counterexample)).toBe(true);
  expect(rowIsViolated(graph, withHook, { ...counterexample, field: "invariant" })).toBe(false);
});
