/** From each row of the race table come schedules that provoke the race in both orders. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName, type Race, races } from "../../machines/index.ts";
import { explore, type Graph, type GraphEdge } from "../explore/graph.ts";
import { assertPath, exploringMs } from "../testing/graphs.ts";
import { isAct, planRace, type RacePlan, roadsOf } from "./race-schedules.ts";
import { follow, isMainCase, quietWays, type RacePurpose, type Schedule } from "./schedule.ts";

let graph: Graph;
let ways: ReturnType<typeof quietWays>;
const plans = new Map<string, RacePlan>();
const thorough = new Map<string, RacePlan>();
beforeAll(() => {
  graph = explore(boundsByName.default);
  ways = quietWays(graph);
  const roads = roadsOf(graph, new Set(), new Set());
  for (const race of races) {
    plans.set(race.id, planRace(race, roads));
    thorough.set(race.id, planRace(race, roads, "all"));
  }
}, exploringMs);

const planOf = (race: Race): RacePlan => plans.get(race.id) as RacePlan;
const purposeOf = ({ races: [purpose] = [] }: Schedule): RacePurpose => purpose as RacePurpose;
const enabledAt = (node: number, act: Race["first"]): GraphEdge[] =>
  (graph.nodes[node]?.edges ?? []).filter((edge) => isMainCase(edge) && isAct(graph, edge, act));
const isCrashed = (one: Schedule): boolean => purposeOf(one).disturbance === "crash";
/** Where a schedule crashes once its race has begun. */
const boundariesOf = (one: Schedule): number[] =>
  one.edges
    .slice(purposeOf(one).begins)
    .filter(({ event }) => event.type === "crash")
    .map(({ from }) => from);
const rows = races.map((race) => [race.id, race] as const);
const choices = rows.filter(([, { kind }]) => kind === "choice");
const precedences = rows.filter(([, { kind }]) => kind === "precedence");

describe("race schedules", () => {
  test.each(rows)("[%s] applies to some state, in both orders", (_id, race) => {
    const { enablingStates, schedules } = planOf(race);

    expect(enablingStates).toBeGreaterThan(0);
    for (const order of [0, 1]) expect(schedules.some((one) => purposeOf(one).order === order)).toBe(true);
  });

  test.each(rows)("[%s] are paths from the initial state that contain their pair", (id, race) => {
    for (const schedule of planOf(race).schedules) {
      const { begins, pair, id: of } = purposeOf(schedule);

      assertPath(schedule.edges);
      expect(of).toBe(id);
      expect(schedule.edges.length).toBeGreaterThanOrEqual(begins + pair);
    }
  });

  test.each(choices)("[%s] begin where both actions are enabled, with the one and then the other", (_id, race) => {
    for (const schedule of planOf(race).schedules) {
      const { edges } = schedule;
      const { begins, order, pair } = purposeOf(schedule);
      const [first, second] = edges.slice(begins, begins + pair) as [GraphEdge, GraphEdge | undefined];
      const firsts = enabledAt(first.from, race.first);
      const seconds = enabledAt(first.from, race.second);

      expect(firsts).not.toEqual([]);
      expect(seconds).not.toEqual([]);
      expect(order === 0 ? firsts : seconds).toContain(first);
      const others = (order === 0 ? seconds : firsts).map(({ action }) => action);
      if (second !== undefined && second.event.type !== "late") expect(others).toContain(second.action);
    }
  });

  test.each(precedences)("[%s] drive the allowed order, and provoke the forbidden one", (_id, race) => {
    for (const schedule of planOf(race).schedules) {
      const { edges } = schedule;
      const { begins, order } = purposeOf(schedule);
      const first = edges[begins] as GraphEdge;

      expect(enabledAt(first.from, race.first)).not.toEqual([]);
      if (order === 0) expect(enabledAt(first.from, race.first)).toContain(first);
      else expect(race.provoke).toContain(first.event.type);
    }
  });

  test.each(rows)("[%s] end idle after every disturbance, and count their crashes", (_id, race) => {
    const { schedules, crashPoints } = thorough.get(race.id) as RacePlan;
    const disturbed = schedules.filter((schedule) => purposeOf(schedule).disturbance !== undefined);

    for (const { edges } of disturbed) expect(graph.nodes[edges.at(-1)?.to ?? 0]?.resting).toBe(true);
    expect(disturbed.filter((one) => purposeOf(one).disturbance === "crash")).toHaveLength(crashPoints);
  });

  test.each(rows)("[%s] disturb by a crash alone when not told otherwise, and reopen after each", (_id, race) => {
    const disturbed = planOf(race).schedules.filter((schedule) => purposeOf(schedule).disturbance !== undefined);

    for (const schedule of disturbed) {
      expect(purposeOf(schedule).disturbance).toBe("crash");
      expect(schedule.edges.map(({ action }) => action).lastIndexOf("reopen")).toBeGreaterThan(
        purposeOf(schedule).begins,
      );
    }
  });

  test.each(rows)(
    "[%s] crash at each commit boundary on the ways of their orders, but for a quiet one",
    (_id, race) => {
      const { schedules } = planOf(race);
      const crashed = new Set(schedules.filter(isCrashed).flatMap(boundariesOf));
      const isQuiet = (one: Schedule): boolean => race.quietOrders?.includes(purposeOf(one).order) === true;
      // The places that such an order leads to, even where another order has driven the way from there.
      const onTheWay = schedules
        .filter((one) => purposeOf(one).disturbance === undefined && !isQuiet(one))
        .flatMap((one) => follow(ways, one.edges[purposeOf(one).begins + purposeOf(one).pair - 1]?.to ?? 0))
        .filter(({ from }) => (graph.nodes[from]?.expected.line.length ?? 0) > 0);

      expect(onTheWay.length).toBeGreaterThan(0);
      for (const { from } of onTheWay) expect(crashed).toContain(from);
    },
  );

  test.each(rows)("[%s] go on to an idle lane once from wherever a pair leads", (_id, race) => {
    const ends = new Map<number, boolean>();
    for (const schedule of planOf(race).schedules) {
      const { edges } = schedule;
      const { begins, pair, disturbance } = purposeOf(schedule);
      if (disturbance !== undefined) continue;
      const after = edges[begins + pair - 1]?.to ?? 0;
      ends.set(after, ends.get(after) === true || graph.nodes[edges.at(-1)?.to ?? 0]?.resting === true);
    }

    expect([...ends.values()].every(Boolean)).toBe(true);
  });

  test("take no road over an edge at which the implementation diverges, or that it does not offer", () => {
    const blocked = new Set(graph.edges.filter(({ event }) => event.type === "crash").map(({ index }) => index));
    const missing = new Set(graph.edges.filter(({ event }) => event.type === "finalize").map(({ index }) => index));
    const roads = roadsOf(graph, blocked, missing);

    for (const race of races) {
      for (const schedule of planRace(race, roads).schedules) {
        const road = schedule.edges.slice(0, purposeOf(schedule).begins);
        expect(road.some(({ index }) => blocked.has(index) || missing.has(index))).toBe(false);
      }
    }
  });
});
