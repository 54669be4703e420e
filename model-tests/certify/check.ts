/**
 * Checks a certificate: whether the runs that held are complete for its k. From each access path every series of up to
 * k + 1 inputs must have been driven, and after all that lead to one state the same inputs that tell it from each other
 * state. That is the condition of HSI; the paper that proves it sufficient is named in the docs.
 */
import { UsageError } from "../errors.ts";
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";
import { type Certificate, unpacked } from "./certificate.ts";
import { areApart, shownBy, shownIn } from "./possible.ts";

/** What a certificate is worth. */
export interface Checked {
  readonly k: number;
  /** States of the machine that the implementation can be brought to. */
  readonly states: number;
  readonly runs: number;
  /** Series of inputs after access paths that were driven. */
  readonly traces: number;
  /** Pairs of states that look alike, and that further inputs were seen to tell apart. */
  readonly toldApart: number;
  /** Pairs of states that look alike, and that no inputs which both offer tell apart. */
  readonly inseparable: number;
  readonly leftOut: number;
  /** What is missing, in words; empty when the certificate is good. */
  readonly missing: readonly string[];
}

/** A point of the runs: those that began alike share it. */
interface Point {
  readonly next: Map<number, Point>;
}

const newPoint = (): Point => ({ next: new Map() });

/** @throws {UsageError} when a run is no path of the graph. */
export function checkCertificate(graph: Graph, certificate: Certificate): Checked {
  return new CertificateChecker(graph, certificate).check();
}

class CertificateChecker {
  readonly #graph: Graph;
  readonly #certificate: Certificate;
  readonly #leftOut: ReadonlySet<number>;
  readonly #root = newPoint();
  /** For each state all points of the runs, up to k + 1 inputs after an access path, that stand in it. */
  readonly #points: Set<Point>[];
  readonly #missing: string[] = [];
  #runs = 0;

  constructor(graph: Graph, certificate: Certificate) {
    this.#graph = graph;
    this.#certificate = certificate;
    this.#leftOut = new Set(certificate.leftOut);
    this.#points = graph.nodes.map(() => new Set<Point>());
  }

  check(): Checked {
    this.#plant();
    const states = this.#reachable();
    for (const state of states) {
      const point = this.#access(state);
      if (point === undefined) this.#missing.push(`no run reaches ${this.#name(state)} by its access path`);
      else this.#traverse(point, state, this.#certificate.k + 1);
    }
    const { toldApart, inseparable } = this.#identify();
    return {
      k: this.#certificate.k,
      states: states.length,
      runs: this.#runs,
      traces: this.#points.reduce((sum, points) => sum + points.size, 0),
      toldApart,
      inseparable,
      leftOut: this.#leftOut.size,
      missing: this.#missing,
    };
  }

  /** All runs as one tree. */
  #plant(): void {
    for (const run of unpacked(this.#certificate.runs)) {
      this.#runs++;
      let point = this.#root;
      let at = 0;
      for (const index of run) {
        const edge = this.#graph.edges[index];
        if (edge?.from !== at) throw new UsageError(`Run ${this.#runs} of the certificate is no path of this machine.`);
        const next = point.next.get(index) ?? newPoint();
        point.next.set(index, next);
        point = next;
        at = edge.to;
      }
    }
  }

  /** The states to which a way leads that leaves nothing out. */
  #reachable(): GraphNode[] {
    const states = [this.#node(0)];
    const seen = new Set([0]);
    for (const { edges } of states) {
      for (const { index, to } of edges) {
        if (this.#leftOut.has(index) || seen.has(to) || !this.#isDriven(index)) continue;
        seen.add(to);
        states.push(this.#node(to));
      }
    }
    return states;
  }

  #driven: ReadonlySet<number> | undefined;

  /** Where an implementation has a choice, the case that it never takes leads nowhere. */
  #isDriven(index: number): boolean {
    const edge = this.#graph.edges[index] as GraphEdge;
    if (this.#casesOf(this.#node(edge.from), edge.action).length === 1) return true;
    this.#driven ??= this.#allDriven();
    return this.#driven.has(index);
  }

  #allDriven(): Set<number> {
    const driven = new Set<number>();
    const points = [this.#root];
    for (let point = points.pop(); point !== undefined; point = points.pop()) {
      for (const [index, next] of point.next) {
        driven.add(index);
        points.push(next);
      }
    }
    return driven;
  }

  #access({ index }: GraphNode): Point | undefined {
    const path: number[] = [];
    for (let at = index; at !== 0 && path.length <= this.#graph.nodes.length; ) {
      const edge = this.#graph.edges[this.#certificate.access[at] ?? -1];
      if (edge?.to !== at) return undefined;
      path.unshift(edge.index);
      at = edge.from;
    }
    return path.reduce<Point | undefined>((point, edge) => point?.next.get(edge), this.#root);
  }

  #traverse(point: Point, state: GraphNode, left: number): void {
    this.#points[state.index]?.add(point);
    if (left === 0) return;
    for (const action of new Set(state.edges.map((edge) => edge.action))) {
      const cases = this.#casesOf(state, action);
      const driven = cases.flatMap((edge) => {
        const next = point.next.get(edge.index);
        return next === undefined ? [] : [{ next, edge }];
      });
      const isLeftOut = cases.some(({ index }) => this.#leftOut.has(index));
      if (driven.length === 0 && !isLeftOut) this.#missing.push(`no run drives ${action} in ${this.#name(state)} here`);
      for (const { next, edge } of driven) this.#traverse(next, this.#node(edge.to), left - 1);
    }
  }

  #casesOf = ({ edges }: GraphNode, action: string): GraphEdge[] => edges.filter((edge) => edge.action === action);

  /** Every two states that look alike must be told apart by inputs that were driven after both. */
  #identify(): { toldApart: number; inseparable: number } {
    const alike = this.#lookAlike();
    const separable = this.#separable(alike);
    let toldApart = 0;
    for (const [one, other] of separable) {
      const points = [one, other].map(({ index }) => [...(this.#points[index] as Set<Point>)]);
      if (points.some(({ length }) => length === 0)) continue;
      if (this.#isToldApart(one, points[0] as Point[], other, points[1] as Point[])) toldApart++;
      else this.#missing.push(`nothing that was driven tells ${this.#name(one)} from ${this.#name(other)}`);
    }
    return { toldApart, inseparable: alike.length - separable.length };
  }

  #lookAlike(): [GraphNode, GraphNode][] {
    const { nodes } = this.#graph;
    const groups = new Map<string, GraphNode[]>();
    for (const node of nodes) {
      const key = JSON.stringify(node.expected.durable);
      const group = groups.get(key) ?? [];
      group.push(node);
      groups.set(key, group);
    }
    return [...groups.values()].flatMap((group) =>
      group.flatMap((one, at) =>
        group
          .slice(at + 1)
          .filter((other) => !areApart(shownIn(one), shownIn(other)))
          .map((other): [GraphNode, GraphNode] => [one, other]),
      ),
    );
  }

  /** Those that some inputs tell apart: the largest set, found by adding until nothing is added. */
  #separable(alike: readonly (readonly [GraphNode, GraphNode])[]): (readonly [GraphNode, GraphNode])[] {
    const key = (one: number, other: number): string => `${Math.min(one, other)} ${Math.max(one, other)}`;
    const together = new Set(alike.map(([one, other]) => key(one.index, other.index)));
    const leadApart = (a: GraphEdge, b: GraphEdge): boolean =>
      areApart(shownBy(a), shownBy(b)) || (a.to !== b.to && !together.has(key(a.to, b.to)));
    for (let size = -1; size !== together.size; ) {
      size = together.size;
      for (const [one, other] of alike) {
        if (this.#common(one, other).some(([a, b]) => leadApart(a, b))) together.delete(key(one.index, other.index));
      }
    }
    return alike.filter(([one, other]) => !together.has(key(one.index, other.index)));
  }

  #isToldApart(one: GraphNode, ones: readonly Point[], other: GraphNode, others: readonly Point[]): boolean {
    return this.#common(one, other).some(([a, b]) => {
      const [afterOnes, afterOthers] = [after(ones, a), after(others, b)];
      if (afterOnes === undefined || afterOthers === undefined) return false;
      const [to, otherTo] = [this.#node(a.to), this.#node(b.to)];
      if (areApart(shownBy(a), shownBy(b)) || areApart(shownIn(to), shownIn(otherTo))) return true;
      return to !== otherTo && this.#isToldApart(to, afterOnes, otherTo, afterOthers);
    });
  }

  /** The inputs of both states in which neither leaves the implementation a choice. */
  #common(one: GraphNode, other: GraphNode): [GraphEdge, GraphEdge][] {
    return one.edges.flatMap((edge): [GraphEdge, GraphEdge][] => {
      const [theirs, ...more] = this.#casesOf(other, edge.action);
      const isChoice = more.length > 0 || this.#casesOf(one, edge.action).length > 1;
      return theirs === undefined || isChoice ? [] : [[edge, theirs]];
    });
  }

  #node = (index: number): GraphNode => this.#graph.nodes[index] as GraphNode;

  #name = ({ index, path }: GraphNode): string => `${path} (state ${index})`;
}

/** Where an edge leads from all of the points; `undefined` when some run did not take it. */
function after(points: readonly Point[], { index }: GraphEdge): Point[] | undefined {
  const next = points.flatMap((point) => point.next.get(index) ?? []);
  return next.length === points.length ? next : undefined;
}
