/** The graph that everything else is generated from is whole, and its counts change only on purpose. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName, type EventType, eventTypes, operationEvents } from "../../machines/index.ts";
import { exploringMs } from "../testing/graphs.ts";
import { actionOf, explore, type Graph } from "./graph.ts";
import { type Counts, exploreIndependently } from "./independent.ts";

const baselineFile = fileURLToPath(new URL("./baseline.json", import.meta.url));
const pinned = ["small", "default"] as const;
type Baseline = Readonly<Record<(typeof pinned)[number], Counts>>;

const howToChange =
  "The number of states or transitions of the operation machine has changed. If that is on purpose, run " +
  "`UPDATE_BASELINE=1 npx vitest run model-tests/explore` and commit model-tests/explore/baseline.json with the change.";

const graphs = new Map<string, Graph>();
beforeAll(() => {
  for (const name of pinned) graphs.set(name, explore(boundsByName[name]));
  if (process.env.UPDATE_BASELINE === "1") writeFileSync(baselineFile, `${JSON.stringify(countAll(), null, 2)}\n`);
}, exploringMs);

const graphOf = (name: string): Graph => graphs.get(name) as Graph;
const countsOf = ({ nodes, edges }: Graph): Counts => ({ states: nodes.length, transitions: edges.length });
const countAll = () => Object.fromEntries(pinned.map((name) => [name, countsOf(graphOf(name))]));

describe.each(pinned)("exploration at %s bounds", (name) => {
  test("two explorations that share nothing agree on states and transitions", () => {
    expect(exploreIndependently(boundsByName[name])).toEqual(countsOf(graphOf(name)));
  });

  test("the counts stand in the committed baseline", () => {
    const baseline = existsSync(baselineFile)
      ? (JSON.parse(readFileSync(baselineFile, "utf8")) as Baseline)
      : undefined;

    expect(countsOf(graphOf(name)), howToChange).toEqual(baseline?.[name]);
  });
});

describe("the alphabet at default bounds", () => {
  test("each event has a transition, but for the fault that comes from another lane", () => {
    const explored = new Set<EventType>(graphOf("default").edges.map(({ event }) => event.type));

    expect(eventTypes.filter((type) => !explored.has(type))).toEqual(["fault"]);
  });
});

describe("a graph", () => {
  test("numbers its nodes and edges, starts at the idle lane and keeps every edge at its source", () => {
    const { nodes, edges } = graphOf("small");

    expect(nodes[0]?.path).toBe("up.idle");
    expect(nodes.map(({ index }) => index)).toEqual(nodes.map((_, at) => at));
    expect(edges.map(({ index }) => index)).toEqual(edges.map((_, at) => at));
    expect(nodes.flatMap((node) => node.edges)).toEqual(edges);
    for (const { from, to, index } of edges) {
      expect(nodes[from]?.edges.some((edge) => edge.index === index)).toBe(true);
      expect(nodes[to]).toBeDefined();
    }
  });

  test("has one node for each state and at most one edge for each event", () => {
    const { nodes } = graphOf("small");

    expect(new Set(nodes.map(({ key }) => key)).size).toBe(nodes.length);
    for (const { edges } of nodes) {
      expect(new Set(edges.map(({ event }) => JSON.stringify(event))).size).toBe(edges.length);
    }
  });

  test("grows with its bounds", () => {
    const [small, larger] = pinned.map((name) => countsOf(graphOf(name)));

    expect(larger?.states).toBeGreaterThan(small?.states ?? 0);
    expect(larger?.transitions).toBeGreaterThan(small?.transitions ?? 0);
  });

  test("can be handed to another thread", () => {
    const { nodes, edges } = graphOf("small");

    expect(structuredClone({ nodes, edges })).toEqual({ nodes, edges });
  });
});

test("an action is an event without the case that the implementation chooses", () => {
  const actions = operationEvents.map(actionOf);

  expect(actions.filter((action) => action === "close")).toHaveLength(2);
  expect(actions).toEqual(expect.arrayContaining(["stream.end stop", "stream.defect iterator_throws", "land"]));
});
