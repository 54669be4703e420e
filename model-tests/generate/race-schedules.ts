/**
 * Schedules of the race table. The states where a row applies are computed: every node at which both actions are
 * enabled. From each, both orders are driven. From each place that they lead to, the quietest way to an idle lane is driven
 * once, and once more with a crash, or with every single disturbance, at every commit boundary on it.
 */
import { type Act, type Race, stateName } from "../../machines/index.ts";
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";
import { follow, isDisturbance, isMainCase, pathTo, pathTree, quietWays, type Schedule } from "./schedule.ts";

/** The schedules of one row of the race table, and from how many states they begin. */
export interface RacePlan {
  readonly race: Race;
  readonly enablingStates: number;
  readonly schedules: readonly Schedule[];
  /** Schedules that crash at a commit boundary between the two actions and the idle lane. */
  readonly crashPoints: number;
}

export interface Roads {
  readonly graph: Graph;
  readonly usable: (edge: GraphEdge) => boolean;
  readonly tree: readonly (GraphEdge | undefined)[];
  readonly ways: readonly (GraphEdge | undefined)[];
}

/**
 * What every row needs to know of a graph: the way to each state, and the quiet way on from it.
 *
 * @param blocked edges at which the implementation diverges: no path leads over them to a state where a row applies.
 * @param missing edges that it does not offer: no schedule counts on them.
 */
export function roadsOf(graph: Graph, blocked: ReadonlySet<number>, missing: ReadonlySet<number>): Roads {
  const usable = (edge: GraphEdge): boolean => !blocked.has(edge.index) && !missing.has(edge.index);
  return { graph, usable, tree: pathTree(graph, usable), ways: quietWays(graph, missing) };
}

/**
 * Which disturbances are driven at the commit boundaries after the two actions. A crash is part of a row's verdict; what
 * another one does from there, the coverage tours have driven from the same states.
 */
export type Disturbances = "crash" | "all";

/** The schedules of one row: from each state in which it applies both orders, then the quietest way to an idle lane, with disturbances. */
export function planRace(race: Race, roads: Roads, disturbances: Disturbances = "crash"): RacePlan {
  const planner = new RacePlanner(race, roads, disturbances);
  for (const node of roads.graph.nodes) planner.visit(node);
  return planner.plan();
}

class RacePlanner {
  readonly #race: Race;
  readonly #roads: Roads;
  readonly #disturbances: Disturbances;
  readonly #schedules: Schedule[] = [];
  readonly #seen = new Set<string>();
  #enablingStates = 0;
  #crashPoints = 0;

  constructor(race: Race, roads: Roads, disturbances: Disturbances) {
    this.#race = race;
    this.#roads = roads;
    this.#disturbances = disturbances;
  }

  plan(): RacePlan {
    const { enablingStates, crashPoints } = { enablingStates: this.#enablingStates, crashPoints: this.#crashPoints };
    return { race: this.#race, enablingStates, crashPoints, schedules: this.#schedules };
  }

  visit(node: GraphNode): void {
    const path = pathTo(this.#roads.tree, node.index);
    if (path === undefined) return;
    const firsts = this.#edgesOf(node, this.#race.first);
    const orders = this.#race.kind === "choice" ? this.#choices(node, firsts) : this.#precedences(node, firsts);
    if (orders.length === 0) return;
    this.#enablingStates++;
    for (const { order, pair } of orders) this.#drive(path, order, pair);
  }

  #edgesOf(node: GraphNode, act: Act): GraphEdge[] {
    return node.edges.filter((edge) => isAct(this.#roads.graph, edge, act) && isMainCase(edge));
  }

  #choices(node: GraphNode, firsts: readonly GraphEdge[]): { order: 0 | 1; pair: GraphEdge[] }[] {
    const seconds = this.#edgesOf(node, this.#race.second);
    return firsts.flatMap((first) =>
      seconds.flatMap((second) => [
        { order: 0 as const, pair: this.#inOrder(first, second) },
        { order: 1 as const, pair: this.#inOrder(second, first) },
      ]),
    );
  }

  /** The two actions one after the other; when the first leaves no place for the second, what comes of it is "late". */
  #inOrder(first: GraphEdge, second: GraphEdge): GraphEdge[] {
    const after = this.#node(first.to).edges.filter(isMainCase);
    const next =
      after.find((edge) => edge.action === second.action) ?? after.find((edge) => edge.event.type === "late");
    return next === undefined ? [first] : [first, next];
  }

  /** The allowed order is driven; the forbidden one is provoked by everything that must not bring the second about. */
  #precedences(node: GraphNode, firsts: readonly GraphEdge[]): { order: 0 | 1; pair: GraphEdge[] }[] {
    return firsts.flatMap((first) => {
      const provoked = node.edges.filter(
        (edge) => this.#race.provoke?.includes(edge.event.type) && this.#roads.usable(edge),
      );
      return [{ order: 0 as const, pair: [first] }, ...provoked.map((edge) => ({ order: 1 as const, pair: [edge] }))];
    });
  }

  #drive(path: readonly GraphEdge[], order: 0 | 1, pair: readonly GraphEdge[]): void {
    const end = pair.at(-1)?.to as number;
    const isNew = this.#once(`${order} ${end}`);
    // A single action that leads where this order has been is a transition like any other: the coverage tours drive it.
    if (!isNew && pair.length === 1 && this.#disturbances === "crash") return;
    const isQuiet = this.#race.quietOrders?.includes(order) === true;
    // What follows depends on where the two actions have led: from each such place it is driven once, whatever their order.
    const way = this.#once(`${isQuiet ? "quiet way" : "way"} from ${end}`) ? follow(this.#roads.ways, end) : [];
    this.#add(path, order, pair, way, undefined);
    if (isQuiet) return;
    for (const [at, edge] of way.entries()) this.#disturb(path, order, pair, way.slice(0, at), this.#node(edge.from));
  }

  /** One schedule for each disturbance at a commit boundary on the way, whichever order has led there. */
  #disturb(
    path: readonly GraphEdge[],
    order: 0 | 1,
    pair: readonly GraphEdge[],
    before: readonly GraphEdge[],
    node: GraphNode,
  ): void {
    if (node.expected.line.length === 0) return;
    for (const edge of node.edges) {
      if (!isDisturbance(edge) || !isMainCase(edge) || !this.#roads.usable(edge)) continue;
      if (edge.event.type === "stream.defect") continue;
      if (this.#disturbances === "crash" && edge.event.type !== "crash") continue;
      if (!this.#once(`at ${edge.index}`)) continue;
      // Every crash is followed by a reopen; the way from there to an idle lane is driven once for each place.
      const rest = follow(this.#roads.ways, edge.to);
      const isNew = this.#disturbances === "all" || this.#once(`after ${edge.to}`);
      this.#add(path, order, pair, [...before, edge, ...(isNew ? rest : rest.slice(0, 1))], edge.action);
    }
  }

  #once(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #add(
    path: readonly GraphEdge[],
    order: 0 | 1,
    pair: readonly GraphEdge[],
    rest: readonly GraphEdge[],
    disturbance: string | undefined,
  ): void {
    if (disturbance === "crash") this.#crashPoints++;
    const edges = [...path, ...pair, ...rest];
    const { id } = this.#race;
    const purpose = { id, order, begins: path.length, pair: pair.length, length: edges.length, disturbance };
    this.#schedules.push({ edges, races: [purpose] });
  }

  #node(index: number): GraphNode {
    return this.#roads.graph.nodes[index] as GraphNode;
  }
}

/** Whether an edge of the graph is the action that a row names. */
export function isAct(graph: Graph, edge: GraphEdge, act: Act): boolean {
  const from = graph.nodes[edge.from] as GraphNode;
  const to = graph.nodes[edge.to] as GraphNode;
  if (!act.events.includes(edge.event.type)) return false;
  const place = stateName(from.path);
  if (act.states?.some((name) => name === place) === false) return false;
  if (act.shows !== undefined && !edge.effects.some(({ kind }) => kind === act.shows)) return false;
  if (act.enqueues !== undefined && !enqueues(from, to, act.enqueues)) return false;
  if (act.ends !== undefined && !(edge.event.type === "stream.end" && act.ends.includes(edge.event.end))) return false;
  const commit = edge.event.type === "land" ? from.expected.line[from.expected.landed] : from.expected.line[0];
  return act.commits === undefined || (commit !== undefined && act.commits.includes(commit));
}

const enqueues = (from: GraphNode, to: GraphNode, commit: string): boolean =>
  to.expected.line.filter((name) => name === commit).length >
  from.expected.line.filter((name) => name === commit).length;
