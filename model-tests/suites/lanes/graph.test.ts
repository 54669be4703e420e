/** The graph of two lanes is whole, and its counts change only on purpose. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import {
  alphabet,
  type EventType,
  eventTypes,
  type LaneName,
  laneBounds,
  laneBoundsFor,
} from "../../../machines/index.ts";
import { exploringMs } from "../../testing/graphs.ts";
import { exploreSession, type JointEdge, type JointGraph } from "./graph.ts";
import { plannedEdges, planOf } from "./plan.ts";

const baselineFile = fileURLToPath(new URL("./baseline.json", import.meta.url));

const howToChange =
  "The states, transitions or planned transitions of the session with two lanes have changed. If that is on purpose, run " +
  "`UPDATE_BASELINE=1 npx vitest run model-tests/suites/lanes/graph.test.ts` and commit model-tests/suites/lanes/baseline.json with the change.";

let graph: JointGraph;
beforeAll(() => {
  graph = exploreSession(laneBounds);
  if (process.env.UPDATE_BASELINE === "1") writeFileSync(baselineFile, `${JSON.stringify(counts(), null, 2)}\n`);
}, exploringMs);

const counts = () => ({
  states: graph.nodes.length,
  transitions: graph.edges.length,
  plannedForReference: plannedEdges(planOf("reference", graph)).size,
  plannedForPi: plannedEdges(planOf("pi-agent-core", exploreSession(laneBoundsFor("harness")))).size,
});

/** What an edge does on its lane that may disturb the other one. */
function disturbance({ from, joint }: JointEdge): string | undefined {
  const { line = [] } = graph.nodes[from] ?? {};
  const { type } = joint.event;
  const answered = type === "land" ? line.find(({ landed }) => !landed) : line[0];
  if (type === "land" || type === "reply") return `${answered?.commit} ${type}`;
  return type === "fail" || type === "lose_reply" ? type : undefined;
}

/** Places of `lane` that `what` of the other lane meets. */
function metPlaces(lane: LaneName, what: string): Set<string | undefined> {
  const meeting = graph.edges.filter((edge) => edge.joint.lane === other(lane) && disturbance(edge) === what);
  return new Set(meeting.map(({ from }) => graph.nodes[from]?.lanes[lane].path));
}

const other = (lane: LaneName): LaneName => (lane === "a" ? "b" : "a");
const livingPlaces = (lane: LaneName): Set<string> =>
  new Set(graph.nodes.map(({ lanes }) => lanes[lane].path).filter((path) => path.startsWith("up.")));

/** Places in which a lane waits for a commit of its own that is the first on the line: no other lane's can land there. */
const ownCommitAhead = ["up.ready.driven", "up.contested"];

describe("the graph of a session with two lanes", () => {
  test("its counts stand in the committed baseline", () => {
    const baseline: unknown = existsSync(baselineFile) ? JSON.parse(readFileSync(baselineFile, "utf8")) : undefined;

    expect(counts(), howToChange).toEqual(baseline);
  });

  test("has one node for each state and one edge for each event of a node", () => {
    const ambiguous = graph.nodes.filter(({ edges }) => new Set(edges.map(({ action }) => action)).size < edges.length);

    expect(ambiguous.map(({ path }) => path)).toEqual([]);
    expect(graph.nodes.flatMap(({ edges }) => edges).length).toBe(graph.edges.length);
  });

  test("each event that the alphabet gives to a session with two lanes has a transition, and no other event has one", () => {
    const explored = new Set<EventType>(graph.edges.map(({ joint }) => joint.event.type));
    const given = eventTypes.filter((type) => alphabet[type].lanes === "each" || alphabet[type].lanes === "session");

    expect(eventTypes.filter((type) => explored.has(type))).toEqual(given);
  });

  test("[N13] no state is a trap: each can be left", () => {
    const traps = graph.nodes.filter(({ edges, index }) => edges.every(({ to }) => to === index));

    expect(traps.map(({ path }) => path)).toEqual([]);
  });

  test.each(["frame land", "frame reply", "cancel land", "cancel reply", "finalize land", "finalize reply"])(
    "[C4] [F1] [K3] %s of lane a meets every place of lane b",
    (what) => {
      expect(metPlaces("b", what)).toEqual(livingPlaces("b"));
    },
  );

  test.each(["fail", "lose_reply"])("[K2] %s of lane a meets every place of lane b", (what) => {
    expect(metPlaces("b", what)).toEqual(livingPlaces("b"));
  });

  test.each(["frame land", "frame reply", "fail", "lose_reply"])(
    "[C4] [K2] %s of lane b meets every place of lane a that it can",
    (what) => {
      const places = [...livingPlaces("a")].filter((path) => !ownCommitAhead.includes(path));

      expect(metPlaces("a", what)).toEqual(new Set(places));
    },
  );

  test("[C1] frames of both lanes stand on the line in every order", () => {
    const orders = new Set(
      graph.nodes.map(({ line }) => line.map(({ lane, commit }) => (commit === "frame" ? lane : "")).join("")),
    );

    for (const order of ["ab", "ba", "aab", "aba", "baa"]) expect(orders).toContain(order);
  });

  test("a lane that is not acted on stays where it is", () => {
    const moved = graph.edges.filter(({ from, to, joint }) => {
      if (joint.lane === undefined || ["fail", "lose_reply", "stream.defect"].includes(joint.event.type)) return false;
      const bystander = other(joint.lane);
      return graph.nodes[to]?.lanes[bystander] !== graph.nodes[from]?.lanes[bystander];
    });

    expect(moved.map(({ action }) => action)).toEqual([]);
  });
});
