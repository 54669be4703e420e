/** Drives one schedule on one implementation: perform, wait for quiescence, observe, compare. */
import { isDeepStrictEqual } from "node:util";
import { alphabet, type HistoryStep } from "../../machines/index.ts";
import type { Storage } from "../../src/index.ts";
import type { Adapter } from "../adapters/adapter.ts";
import type { Sayings } from "../contents/beat.ts";
import { type ContentName, catalogueSayings, inventedSayings } from "../contents/catalogue.ts";
import { AdapterError, NoQuiescence } from "../errors.ts";
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";
import { follow, type InsidePurpose } from "../generate/schedule.ts";
import { isReopening } from "../stores/reopening-store.ts";
import { ReopeningWorld } from "../stores/reopening-world.ts";
import { quiescence } from "../world/quiescence.ts";
import { watchStrays } from "../world/strays.ts";
import { World } from "../world/world.ts";
import { compareStep, compareValues, type Observation, observe } from "./compare.ts";
import { ContentCheck, compareSnapshot, type View } from "./content.ts";
import { historyStep } from "./facts.ts";
import { type Mismatch, mismatch } from "./mismatch.ts";
import { perform } from "./perform.ts";

/**
 * Why the next action was not driven. `implementation`: it does not offer the action here. `case`: it took another allowed
 * case of the action. `choice`: an earlier choice of it led to a state without the action. `commit`: the step has no such
 * commit of its own to crash at.
 */
export type NotOffered = "implementation" | "case" | "choice" | "commit";

/** How a run ended: with every planned edge, at one that the implementation does not offer, or where the two part. */
export type RunEnd =
  /** Every planned edge was driven and matched. */
  | { readonly kind: "completed" }
  | { readonly kind: "not offered"; readonly edge: GraphEdge; readonly because: NotOffered }
  | { readonly kind: "diverged"; readonly edge: GraphEdge; readonly mismatch: Mismatch };

/** One step that was driven and matched, with what was seen of it. */
export interface DrivenStep {
  readonly edge: GraphEdge;
  readonly fact: HistoryStep;
}

/** A value that a step of a run has shown, and that is not what it must be. */
interface WrongValue {
  readonly at: number;
  readonly edge: GraphEdge;
  readonly mismatch: Mismatch;
}

/** What a run has shown. */
export interface RunResult {
  /** The steps that were driven and matched. */
  readonly steps: readonly DrivenStep[];
  readonly end: RunEnd;
  /** What the provider said, request by request. */
  readonly sayings: Sayings;
  /** Values that are not what they must be. They lead to no other state, so the run goes on. */
  readonly wrong: readonly WrongValue[];
}

/** What is driven: an implementation behind its adapter, over stores of one kind. */
export interface Subject {
  readonly adapter: Adapter;
  /** A fresh, empty store for each run. A `ReopeningStore` is opened anew by each process, and disposed of in the end. */
  newStore(): Storage;
  /** What the provider says, whatever content a schedule asks for. */
  readonly sayings?: Sayings;
  /** Contents that no schedule streams unless it asks for them. Default: none. */
  readonly leftOut?: readonly ContentName[];
}

export interface RunOptions {
  /** Further turns of the event loop to grant at each quiescence (the determinism check). */
  readonly extraTurns?: number;
  /** The place in the catalogue of contents of what the first request says. */
  readonly content?: number;
  /** Crash at an internal commit of the last step, then reopen and go the quiet way to an idle lane. */
  readonly crashInside?: CrashInside;
}

/** A commit boundary that the machine does not know: one of the harness's own transactions within a step. */
export interface CrashInside extends InsidePurpose {
  /** The quiet way to an idle lane from every node. */
  readonly ways: readonly (GraphEdge | undefined)[];
}

/**
 * Drives one schedule on a fresh store, step by step, and compares after each.
 *
 * @param edges a path of the graph from its first node.
 * @throws {AdapterError} when the adapter itself is at fault, which is no divergence.
 */
export async function run(
  subject: Subject,
  graph: Graph,
  edges: readonly GraphEdge[],
  options: RunOptions = {},
): Promise<RunResult> {
  const { adapter } = subject;
  const { content } = options;
  const sayings =
    subject.sayings ?? (content === undefined ? inventedSayings : catalogueSayings(content, subject.leftOut));
  const store = subject.newStore();
  const { attempts } = graph.bounds;
  const world = isReopening(store)
    ? new ReopeningWorld(adapter, store, attempts, sayings)
    : new World(adapter, store, attempts, 0, sayings);
  const uninstall = adapter.install?.(world.clock);
  const unwatch = watchStrays((error) => world.stray(error));
  try {
    await bootOrExplain(world, options.extraTurns);
    world.takeRecord();
    world.takeAudienceRecord();
    return await withoutStackTraces(() => new Runner(world, graph, options).drive(edges, options));
  } finally {
    world.kill();
    unwatch();
    uninstall?.();
    if (isReopening(store)) await store.dispose();
  }
}

let drivenRuns = 0;
let usualStackTraceLimit = Error.stackTraceLimit;

/** Faults, closes and aborts are everyday business of a run; nobody reads where their errors were made. */
export async function withoutStackTraces<T>(work: () => Promise<T>): Promise<T> {
  if (drivenRuns++ === 0) {
    usualStackTraceLimit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  }
  try {
    return await work();
  } finally {
    if (--drivenRuns === 0) Error.stackTraceLimit = usualStackTraceLimit;
  }
}

async function bootOrExplain(world: World, extraTurns: number | undefined): Promise<void> {
  try {
    await world.boot();
    await quiescence(world, extraTurns);
  } catch (error) {
    throw new AdapterError(`the adapter "${world.adapter.name}" cannot boot: ${describe(error)}`, { cause: error });
  }
}

const describe = (error: unknown): string => (error instanceof Error ? error.message : String(error));

class Runner {
  readonly #world: World;
  readonly #graph: Graph;
  readonly #extraTurns: number;
  readonly #content: ContentCheck;
  readonly #steps: DrivenStep[] = [];
  readonly #wrong: WrongValue[] = [];
  /** Where the implementation may be: more than one node while an allowed choice of it has not shown. */
  #nodes: readonly GraphNode[];

  constructor(world: World, graph: Graph, options: RunOptions) {
    this.#world = world;
    this.#graph = graph;
    this.#extraTurns = options.extraTurns ?? 0;
    this.#content = new ContentCheck(world);
    this.#nodes = [graph.nodes[0] as GraphNode];
  }

  async drive(edges: readonly GraphEdge[], options: RunOptions): Promise<RunResult> {
    const { crashInside: inside } = options;
    const whole = inside === undefined ? edges : edges.slice(0, -1);
    for (const edge of whole) {
      const end = await this.#step(edge);
      if (end !== undefined) return this.#result(end);
    }
    const last = edges.at(-1);
    if (inside !== undefined && last !== undefined) {
      const end = await this.#crashInside(last, inside);
      if (end !== undefined) return this.#result(end);
    }
    return this.#result({ kind: "completed" });
  }

  /** Perform an action and wait until nothing moves any more; `false` when it cannot be performed here. */
  async #act({ event }: GraphEdge): Promise<boolean> {
    if (alphabet[event.type].tells) this.#world.admitLatecomer();
    const offered = perform(this.#world, event);
    if (!(typeof offered === "boolean" ? offered : await offered)) return false;
    await quiescence(this.#world, this.#extraTurns);
    return true;
  }

  /** The step is half done when its process goes: what is durable is the state before it, or after it. */
  async #crashInside(edge: GraphEdge, { commit, landed, ways }: CrashInside): Promise<RunEnd | undefined> {
    const { gate } = this.#world;
    gate?.holdInternal(commit, landed);
    const offered = await perform(this.#world, edge.event);
    await quiescence(this.#world, this.#extraTurns);
    if (!offered || gate?.holding !== true)
      return { kind: "not offered", edge, because: offered ? "commit" : "implementation" };
    this.#world.kill();
    const seen = observe(this.#world);
    // Where both fit, the clock and the calls have moved on already.
    const crashes = [edge.to, edge.from].flatMap((node) =>
      this.#node(node).edges.filter(({ event }) => event.type === "crash"),
    );
    const fitting = crashes.filter((crash) => isDeepStrictEqual(this.#node(crash.to).expected.durable, seen.durable));
    const [crash] = fitting;
    if (crash === undefined) {
      const expected = crashes.map(({ to }) => this.#node(to).expected.durable);
      return {
        kind: "diverged",
        edge,
        mismatch: mismatch("E9", "durable after a crash inside the step", expected, seen.durable),
      };
    }
    const wrong = this.#content.check(crash.from === edge.to && edge.from !== edge.to ? edge.effects : []);
    if (wrong !== undefined) return { kind: "diverged", edge, mismatch: wrong };
    this.#nodes = [this.#node(crash.to)];
    this.#note(crash, seen);
    for (const next of follow(ways, crash.to)) {
      const end = await this.#step(next);
      if (end !== undefined) return end;
    }
    return undefined;
  }

  #note(edge: GraphEdge, seen: Observation): void {
    const fact = historyStep(this.#world, edge, this.#node(edge.to), seen);
    this.#steps.push({ edge, fact });
  }

  /** With its process the audience leaves: what was given to it must be what it was. */
  #result(end: RunEnd): RunResult {
    this.#world.kill();
    const { altered } = this.#world.takeAudienceRecord();
    const steps = this.#steps;
    const last = steps.at(-1);
    if (altered.length > 0 && last !== undefined) {
      const audience = { ...last.fact.audience, altered: [...last.fact.audience.altered, ...altered] };
      steps.splice(-1, 1, { ...last, fact: { ...last.fact, audience } });
    }
    return { steps, end, wrong: this.#wrong, sayings: this.#world.sayings };
  }

  async #step(planned: GraphEdge): Promise<RunEnd | undefined> {
    const candidates = this.#candidates(planned);
    if (candidates.length === 0) return { kind: "not offered", edge: planned, because: "choice" };
    const before = this.#viewIfAsked(planned);
    try {
      if (!(await this.#act(planned))) return { kind: "not offered", edge: planned, because: "implementation" };
    } catch (error) {
      return this.#failed(planned, error);
    }
    const seen = observe(this.#world);
    if (this.#world.promises.nonsense !== undefined) throw new AdapterError(this.#world.promises.nonsense);
    const { matched, first } = this.#match(candidates, planned, seen);
    if (matched.length === 0) {
      // A wrong value says more about the cause than what it leads to, and a broken store more than both.
      const [value] = seen.record.anomalies.length > 0 ? [] : compareValues(seen.record);
      return { kind: "diverged", edge: planned, mismatch: value ?? first ?? mismatch("N13", "step", "any", "none") };
    }
    const wrong = this.#checkContent(matched[0] as GraphEdge, seen, before);
    if (wrong !== undefined) return { kind: "diverged", edge: planned, mismatch: wrong };
    this.#nodes = matched.map((edge) => this.#node(edge.to));
    const asPlanned = matched.includes(planned);
    const edge = asPlanned ? planned : (matched[0] as GraphEdge);
    for (const found of compareValues(seen.record)) this.#wrong.push({ at: this.#steps.length, edge, mismatch: found });
    this.#note(edge, seen);
    // Another allowed case of the action was taken: the plan counts on states that are not reached.
    return asPlanned ? undefined : { kind: "not offered", edge: planned, because: "case" };
  }

  /** A process that cannot open its session, or never comes to rest, is a finding about the harness. */
  #failed(planned: GraphEdge, error: unknown): RunEnd {
    const found =
      error instanceof NoQuiescence
        ? mismatch("N13", "quiescence", "the harness comes to rest", error.message)
        : mismatch("E1", "step succeeds", planned.action, describe(error));
    return { kind: "diverged", edge: planned, mismatch: found };
  }

  #candidates(planned: GraphEdge): GraphEdge[] {
    const { action } = planned;
    const candidates: GraphEdge[] = [];
    for (const node of this.#nodes) {
      for (const edge of node.edges) if (edge.action === action) candidates.push(edge);
    }
    return candidates;
  }

  #match(candidates: readonly GraphEdge[], planned: GraphEdge, seen: Observation) {
    const matched: GraphEdge[] = [];
    let first: Mismatch | undefined;
    for (const edge of candidates) {
      const found = compareStep(edge, this.#node(edge.from), this.#node(edge.to), seen);
      if (found === undefined) matched.push(edge);
      else if (first === undefined || edge === planned) first = found;
    }
    return { matched, first };
  }

  /** Snapshots may be taken at any moment of a step: the view before it is kept when one is under way. */
  #viewIfAsked({ event }: GraphEdge): View | undefined {
    const asked = event.type === "snapshot" || this.#world.promises.count("snapshot") > 0;
    return asked ? this.#content.view(this.#nodes[0] as GraphNode) : undefined;
  }

  #checkContent(edge: GraphEdge, seen: Observation, before: View | undefined): Mismatch | undefined {
    const wrong = this.#content.check(edge.effects);
    if (wrong !== undefined || before === undefined) return wrong;
    const after = this.#content.view(this.#node(edge.to));
    return seen.record.snapshots.map((snapshot) => compareSnapshot(snapshot, before, after)).find(Boolean);
  }

  #node(index: number): GraphNode {
    return this.#graph.nodes[index] as GraphNode;
  }
}
