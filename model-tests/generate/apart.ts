/**
 * Which states of a graph a tester can tell apart, and by which inputs. Two states are apart when no observation that the
 * checker accepts in the one is accepted in the other. What an implementation may leave out tells nothing, so this errs on
 * the safe side: what is called apart here is apart for every implementation.
 */
import type { Effect } from "../../machines/index.ts";
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";
import { showsDrive, showsParked } from "../explore/shown.ts";
import { isMainCase } from "./schedule.ts";

/** Actions that tell two states apart, one after the other; none when they differ at first sight. */
export type Word = readonly string[];

/** Whether no observation after a step fits both states. */
export function apartAtSight(one: GraphNode, other: GraphNode): boolean {
  if (sightOf(one) !== sightOf(other)) return true;
  const [a, b] = [one.expected, other.expected];
  if (showsDrive(one) && showsDrive(other) && a.drive !== b.drive) return true;
  return showsParked(one) && showsParked(other) && a.parked !== b.parked;
}

const sights = new WeakMap<GraphNode, string>();

/** What every observation of a state shows: what is durable, and the head of the line; what else waits may not have come to the store. */
function sightOf(node: GraphNode): string {
  const { durable, line, landed } = node.expected;
  const sight = sights.get(node) ?? JSON.stringify([durable, landed, line[0] ?? null]);
  sights.set(node, sight);
  return sight;
}

/** Whether no observation of a step fits both transitions, whatever the states they lead to show. */
export function effectsApart(one: GraphEdge, other: GraphEdge): boolean {
  if (one.effects.length === 0 && other.effects.length === 0) return false;
  return (
    countsApart(one.effects, other.effects) ||
    callsApart(one, other) ||
    callsApart(other, one) ||
    eventsApart(one.effects, other.effects)
  );
}

const asked = ["request", "poll", "remote_cancel", "hook", "tools", "signal"] as const;

/** How often the surroundings are asked: where it may be left out, not at all is as good. */
function countsApart(one: readonly Effect[], other: readonly Effect[]): boolean {
  return asked.some((kind) => {
    const [a, b] = [one, other].map((effects) => effects.filter((effect) => effect.kind === kind));
    const least = (effects: readonly Effect[] = []): number => (effects.every(isOptional) ? 0 : effects.length);
    const [most, least2] = [a?.length ?? 0, b?.length ?? 0];
    return most !== least2 && (least(a) > 0 || least(b) > 0);
  });
}

const isOptional = (effect: Effect): boolean => "optional" in effect && effect.optional === true;

type CallEffect = Extract<Effect, { kind: "call" }>;
type EventEffect = Extract<Effect, { kind: "event" }>;

/** Whether one settles a promise with what the other never does. A second activation may be refused at once (O3). */
function callsApart(one: GraphEdge, other: GraphEdge): boolean {
  const calls = ({ effects }: GraphEdge): CallEffect[] => effects.filter((effect) => effect.kind === "call");
  return calls(one).some((required) => {
    if (isOptional(required) || required.call === "activate") return false;
    const outcomes = [required.outcome, ...(required.or ?? [])];
    const also = calls(other).filter(({ call }) => call === required.call);
    return !also.some(({ outcome, or = [] }) => [outcome, ...or].some((each) => outcomes.includes(each)));
  });
}

/** Whether no series of events is announced by both. Messages of a recovery may come at any place, and tell nothing here. */
function eventsApart(one: readonly Effect[], other: readonly Effect[]): boolean {
  const [a, b] = [one, other].map((effects) => effects.filter((effect) => effect.kind === "event").filter(tells));
  return !share(a ?? [], b ?? []);
}

const tells = ({ name, recovery }: EventEffect): boolean =>
  recovery === undefined || !(name === "message_start" || name === "message_end");

/** Whether two series with optional members have a series in common. */
function share([a, ...as]: readonly EventEffect[], [b, ...bs]: readonly EventEffect[]): boolean {
  if (a === undefined && b === undefined) return true;
  if (a !== undefined && b !== undefined && areAlike(a, b) && share(as, bs)) return true;
  if (a !== undefined && isOptional(a) && share(as, b === undefined ? bs : [b, ...bs])) return true;
  return b !== undefined && isOptional(b) && share(a === undefined ? as : [a, ...as], bs);
}

const areAlike = (a: EventEffect, b: EventEffect): boolean =>
  a.name === b.name &&
  (a.name === "usage" || a.recovery === "may" || b.recovery === "may" || a.recovery === b.recovery);

/** Two states that differ only after further inputs, and the shortest inputs that show it. */
export interface TooAlike {
  readonly one: GraphNode;
  readonly other: GraphNode;
  /** `undefined` when no inputs that both states offer tell them apart. */
  readonly word: Word | undefined;
}

/** All pairs of states that do not differ at first sight, with what tells them apart. */
export function tooAlike(graph: Graph): TooAlike[] {
  const bySight = new Map<string, GraphNode[]>();
  for (const node of graph.nodes) {
    const sight = sightOf(node);
    bySight.set(sight, [...(bySight.get(sight) ?? []), node]);
  }
  const open = new Map<number, { one: GraphNode; other: GraphNode; word: Word | undefined }>();
  const keyOf = (a: number, b: number): number => Math.min(a, b) * graph.nodes.length + Math.max(a, b);
  for (const alike of bySight.values()) {
    for (const [at, one] of alike.entries()) {
      for (const other of alike.slice(at + 1)) {
        if (!apartAtSight(one, other)) open.set(keyOf(one.index, other.index), { one, other, word: undefined });
      }
    }
  }
  const wordAfter = (a: GraphEdge, b: GraphEdge): Word | undefined => {
    if (a.to === b.to) return undefined;
    const pair = open.get(keyOf(a.to, b.to));
    return pair === undefined ? [] : pair.word;
  };
  for (let undecided = [...open.values()]; ; ) {
    // One length of words after the other: what is found in a round counts from the next.
    const found = undecided.flatMap((pair) => {
      const word = firstWord(pair.one, pair.other, wordAfter);
      return word === undefined ? [] : [{ pair, word }];
    });
    if (found.length === 0) return [...open.values()];
    for (const { pair, word } of found) pair.word = word;
    undecided = undecided.filter(({ word }) => word === undefined);
  }
}

/** The first action of both states after which they are apart. Where an implementation has a choice, it decides nothing. */
function firstWord(
  one: GraphNode,
  other: GraphNode,
  wordAfter: (a: GraphEdge, b: GraphEdge) => Word | undefined,
): Word | undefined {
  for (const [action, a] of certain(one)) {
    const b = certain(other).get(action);
    if (b === undefined) continue;
    const rest = effectsApart(a, b) ? [] : wordAfter(a, b);
    if (rest !== undefined) return [action, ...rest];
  }
  return undefined;
}

const certainOf = new WeakMap<GraphNode, ReadonlyMap<string, GraphEdge>>();

/** The actions of a state that have one allowed case. */
function certain(node: GraphNode): ReadonlyMap<string, GraphEdge> {
  const known = certainOf.get(node);
  if (known !== undefined) return known;
  const chosen = new Set(node.edges.filter((edge) => !isMainCase(edge)).map(({ action }) => action));
  const edges = new Map(node.edges.filter(({ action }) => !chosen.has(action)).map((edge) => [edge.action, edge]));
  certainOf.set(node, edges);
  return edges;
}
