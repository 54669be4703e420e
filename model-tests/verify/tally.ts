/** What a batch of schedules has shown, in a form that adds up: batches may run in any order, on any thread. */
import { type Invariant, invariants, races } from "../../machines/index.ts";
import type { Mismatch } from "../drive/mismatch.ts";
import type { Graph } from "../explore/graph.ts";
import { pairsOf } from "../generate/pairs.ts";
import type { InsidePurpose } from "../generate/schedule.ts";
import { addContents, type ContentsMet, newContentsMet } from "./contents-met.ts";

/** Edge indices of a run. */
export type Path = readonly number[];

/** One way in which the implementation and the specification part; the shortest schedule that shows it. */
export interface Divergence {
  readonly key: string;
  readonly action: string;
  /** The state that the specification is in before the step. */
  readonly from: string;
  /** The state that the specification reaches with the step. */
  readonly state: string;
  readonly mismatch: Mismatch;
  schedule: Path;
  /** Set when the last step of the schedule was crashed at one of its internal commits. */
  inside?: InsidePurpose | undefined;
  /** The content that its schedule had. */
  content?: number | undefined;
  times: number;
  /** Planned steps that were not driven because of it. */
  stepsLost: number;
  /** Rows whose schedules ran into it, after their race had begun. */
  readonly races: Set<string>;
}

export interface InvariantTally {
  checked: number;
  premiseHeld: number;
  violated: number;
}

export interface OrderTally {
  schedules: number;
  /** Schedules of these that did not reach the required result. */
  failedSchedules: number;
  /** Schedules that ran into a divergence, by its key, once the race had begun. */
  readonly failed: Map<string, number>;
  /** Schedules that this implementation cannot drive to their end. */
  notOffered: number;
}

export interface Tally {
  schedules: number;
  steps: number;
  readonly covered: Uint8Array;
  readonly notOffered: Uint8Array;
  readonly diverged: Uint8Array;
  /** Pairs of transitions that were driven one right after the other. */
  readonly pairs: Uint8Array;
  /** Pairs whose second could not be driven after the first: it was not offered, or it diverged. */
  readonly pairsLost: Uint8Array;
  /** How many internal commits landed in the step of an edge: each is a crash point of its own. */
  readonly internal: Uint8Array;
  /** Tests of a complete suite that were not driven to their end, and how many of their steps held. */
  readonly unfinished: { readonly path: Path; readonly held: number }[];
  readonly divergences: Map<string, Divergence>;
  readonly invariants: Map<string, InvariantTally>;
  readonly races: Map<string, [OrderTally, OrderTally]>;
  readonly contents: ContentsMet;
}

const newOrder = (): OrderTally => ({ schedules: 0, failedSchedules: 0, failed: new Map(), notOffered: 0 });

/** An empty tally for runs over a graph of one operation. */
export const tallyFor = (graph: Graph): Tally => newTally(graph.edges.length, pairsOf(graph).edges.length);

/** @param pairs how many pairs of transitions are counted; none where nobody asks. */
export function newTally(edges: number, pairs = 0): Tally {
  return {
    schedules: 0,
    steps: 0,
    covered: new Uint8Array(edges),
    notOffered: new Uint8Array(edges),
    diverged: new Uint8Array(edges),
    pairs: new Uint8Array(pairs),
    pairsLost: new Uint8Array(pairs),
    internal: new Uint8Array(edges),
    unfinished: [],
    divergences: new Map(),
    invariants: new Map(invariants.map(({ id }: Invariant) => [id, { checked: 0, premiseHeld: 0, violated: 0 }])),
    races: new Map(races.map(({ id }) => [id, [newOrder(), newOrder()]])),
    contents: newContentsMet(),
  };
}

/** Add `from` to `into`. */
export function addTally(into: Tally, from: Tally): void {
  into.schedules += from.schedules;
  into.steps += from.steps;
  for (const marks of ["covered", "notOffered", "diverged", "pairs", "pairsLost"] as const) {
    from[marks].forEach((mark, edge) => {
      if (mark) into[marks][edge] = 1;
    });
  }
  for (const test of from.unfinished) into.unfinished.push(test);
  from.internal.forEach((count, edge) => {
    into.internal[edge] = Math.max(into.internal[edge] ?? 0, count);
  });
  for (const divergence of from.divergences.values()) addDivergence(into, divergence);
  for (const [id, { checked, premiseHeld, violated }] of from.invariants) {
    const total = into.invariants.get(id) as InvariantTally;
    total.checked += checked;
    total.premiseHeld += premiseHeld;
    total.violated += violated;
  }
  addContents(into.contents, from.contents);
  for (const [id, orders] of from.races) {
    orders.forEach((order, at) => {
      const total = into.races.get(id)?.[at] as OrderTally;
      total.schedules += order.schedules;
      total.failedSchedules += order.failedSchedules;
      total.notOffered += order.notOffered;
      for (const [key, times] of order.failed) total.failed.set(key, (total.failed.get(key) ?? 0) + times);
    });
  }
}

export function addDivergence(tally: Tally, found: Divergence): void {
  const known = tally.divergences.get(found.key);
  if (known === undefined) {
    tally.divergences.set(found.key, { ...found, races: new Set(found.races) });
    return;
  }
  known.times += found.times;
  known.stepsLost += found.stepsLost;
  for (const race of found.races) known.races.add(race);
  if (!isShorter(found.schedule, known.schedule)) return;
  known.schedule = found.schedule;
  known.inside = found.inside;
  known.content = found.content;
}

/** Shorter, or first by its edges: the choice must not depend on the order in which batches arrive. */
function isShorter(a: Path, b: Path): boolean {
  if (a.length !== b.length) return a.length < b.length;
  const at = a.findIndex((edge, index) => edge !== b[index]);
  return at !== -1 && (a[at] as number) < (b[at] as number);
}

/** What a divergence looks like wherever it occurs: the same cause shows in many states. */
export const shapeOf = ({ action, mismatch }: Pick<Divergence, "action" | "mismatch">): string =>
  JSON.stringify([mismatch.requirement, action, mismatch.field, mismatch.expected, mismatch.actual]);

/** Two mismatches are one divergence when requirement, action, both states, field and both values agree. */
export const divergenceKey = (
  { action, from, state }: Pick<Divergence, "action" | "from" | "state">,
  { requirement, field, expected, actual }: Mismatch,
): string => JSON.stringify([requirement, action, from, state, field, expected, actual]);
