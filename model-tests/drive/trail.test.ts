/** Runs that begin alike share their beginning; that saves time and changes no verdict. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName, races } from "../../machines/index.ts";
import type { Adapter, Incarnation } from "../adapters/adapter.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import { explore, type Graph, type GraphEdge } from "../explore/graph.ts";
import { planRace, roadsOf } from "../generate/race-schedules.ts";
import { exploringMs } from "../testing/graphs.ts";
import { newStore, reference } from "../testing/subjects.ts";
import { edgesOf } from "../verify/labels.ts";
import { type RunResult, run, type Subject } from "./run.ts";
import { type Moment, repeated } from "./trail.ts";

let graph: Graph;
beforeAll(() => {
  graph = explore(boundsByName.small);
}, exploringMs);

const accepted = ["accept", "land", "reply"];
const orphaned = [
  ...accepted,
  ...["activate", "land", "reply", "stream.start", "listener.release", "land", "reply", "crash", "reopen"],
];
const runOf = (labels: readonly string[], trail: readonly Moment[] = [], subject: Subject = reference) =>
  run(subject, graph, edgesOf(graph, labels), { trail });
/** As text, so that what only a getter tells is compared as well. */
const shown = ({ steps, end }: RunResult): string => JSON.stringify([steps.map(({ fact }) => fact), end]);

describe("a run that begins like one before it", () => {
  test("does not look again, but for the last step that both have in common", () => {
    const step = (edge: GraphEdge) => ({ step: { edge } }) as Moment;
    const [a, b, c, d] = graph.edges as [GraphEdge, GraphEdge, GraphEdge, GraphEdge];
    const trail = [step(a), step(b), step(c)];

    expect(repeated(trail, [a, b, c, d])).toEqual(trail.slice(0, 2));
    expect(repeated(trail, [a, b, d])).toEqual(trail.slice(0, 1));
    expect(repeated(trail, [a, b])).toEqual(trail.slice(0, 1));
    expect(repeated(trail, [a])).toEqual([]);
    expect(repeated(trail, [b, a])).toEqual([]);
    expect(repeated([], [a])).toEqual([]);
  });

  test("shows what it shows when it is driven from scratch", async () => {
    const roads = roadsOf(graph, new Set(), new Set());
    const schedules = races.flatMap((race) => planRace(race, roads).schedules.slice(-8));
    let trail: readonly Moment[] = [];
    let spared = 0;
    for (const { edges } of schedules) {
      spared += repeated(trail, edges).length;
      const again = await run(reference, graph, edges, { trail });

      expect(shown(again)).toBe(shown(await run(reference, graph, edges)));
      ({ trail } = again);
    }
    expect(spared).toBeGreaterThan(schedules.length);
  });

  test("is found out when the harness is not where it was the first time", async () => {
    const forgetful = changingFrom(2, { cancel: () => Promise.resolve("ok") });
    const first = await runOf([...accepted, "cancel", "land", "reply"], [], forgetful);

    const { end } = await runOf([...accepted, "cancel", "crash"], first.trail, forgetful);

    expect(first.end.kind).toBe("completed");
    expect(end).toMatchObject({ kind: "diverged", edge: { action: "cancel" } });
  });

  test("is found out when a step of the first time cannot be done again", async () => {
    const idle = changingFrom(3, { activate: () => new Promise(() => {}) });
    const first = await runOf(orphaned, [], idle);

    const { steps, end } = await runOf([...orphaned, "activate"], first.trail, idle);

    expect(first.end.kind).toBe("completed");
    expect(end).toMatchObject({ kind: "diverged", mismatch: { actual: "not possible a second time" } });
    expect(steps.map(({ edge }) => edge.action)).toEqual(orphaned.slice(0, steps.length));
    expect(steps.length).toBeGreaterThan(3);
  });
});

/** The reference, some of whose calls are others from the process with that number on. */
function changingFrom(process: number, change: Partial<Incarnation>): Subject {
  let boots = 0;
  const boot: Adapter["boot"] = async (surroundings) => {
    const own = await referenceAdapter.boot(surroundings);
    return ++boots < process ? own : { ...own, ...change };
  };
  return { newStore, adapter: { ...referenceAdapter, boot } };
}
