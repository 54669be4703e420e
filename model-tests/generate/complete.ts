/**
 * Complete suites by harmonised state identifiers (HSI; Petrenko, Yevtushenko, Lebedev and Das, 1993): from each state, reached
 * by its access path, every series of up to k + 1 inputs, and after each what tells the state reached from all others. An
 * implementation that passes has no fault within k inputs of an access path.
 */
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";
import { type TooAlike, tooAlike, type Word } from "./apart.ts";
import { isMainCase, pathTree, type Schedule } from "./schedule.ts";

/** A complete suite, and what it is complete for. */
export interface CompleteSuite {
  readonly k: number;
  /** For each node the edge by which its access path reaches it. */
  readonly access: readonly (GraphEdge | undefined)[];
  /** Pairs of states that the inputs both offer do not tell apart. */
  readonly inseparable: readonly TooAlike[];
  /** The tests: none is the beginning of another. */
  tests(): Generator<Schedule>;
}

/** @param usable edges that the implementation is not known to refuse or to fail: no test counts on others. */
export function completeSuite(
  graph: Graph,
  k: number,
  usable: (edge: GraphEdge) => boolean = () => true,
): CompleteSuite {
  const offered = (edge: GraphEdge): boolean => isMainCase(edge) && usable(edge);
  const access = pathTree(graph, offered);
  const alike = tooAlike(graph);
  const tester = new Tester(graph, k, access, identifiersOf(graph, alike), offered);
  return {
    k,
    access,
    inseparable: alike.filter(({ word }) => word === undefined),
    tests: () => tester.tests(),
  };
}

/** For each state the words that tell it from others. A word for two states belongs to both: that makes them harmonised. */
function identifiersOf({ nodes }: Graph, alike: readonly TooAlike[]): Word[][] {
  const identifiers: Word[][] = nodes.map(() => []);
  const add = ({ index }: GraphNode, word: Word): void => {
    const words = identifiers[index] as Word[];
    if (!words.some((known) => known.join() === word.join())) words.push(word);
  };
  for (const { one, other, word } of alike) {
    if (word === undefined) continue;
    add(one, word);
    add(other, word);
  }
  return identifiers;
}

/** Walks the tree of all tests once, so that each branch is one test and none is told twice. */
class Tester {
  readonly #nodes: readonly GraphNode[];
  readonly #k: number;
  readonly #access: readonly (GraphEdge | undefined)[];
  readonly #identifiers: readonly (readonly Word[])[];
  readonly #offered: (edge: GraphEdge) => boolean;

  constructor(
    { nodes }: Graph,
    k: number,
    access: readonly (GraphEdge | undefined)[],
    identifiers: readonly (readonly Word[])[],
    offered: (edge: GraphEdge) => boolean,
  ) {
    this.#nodes = nodes;
    this.#k = k;
    this.#access = access;
    this.#identifiers = identifiers;
    this.#offered = offered;
  }

  *tests(): Generator<Schedule> {
    yield* this.#from([], 0, true, this.#k + 1, []);
  }

  /**
   * @param isAccess whether the path so far is an access path.
   * @param left how many inputs of any kind may still follow.
   * @param words what is still to follow of words that began earlier.
   */
  *#from(path: GraphEdge[], at: number, isAccess: boolean, left: number, words: readonly Word[]): Generator<Schedule> {
    const { edges } = this.#nodes[at] as GraphNode;
    // Beyond the traversal only the words go on: the states on their ways need no telling.
    const open = left >= 0 ? [...words, ...(this.#identifiers[at] as readonly Word[])] : words;
    let isLeaf = true;
    for (const edge of edges) {
      const isOnAccess = isAccess && this.#access[edge.to] === edge;
      const rest = open.flatMap(([first, ...more]) => (first === edge.action ? [more] : []));
      if (!this.#offered(edge) || (left <= 0 && rest.length === 0)) continue;
      isLeaf = false;
      const next = isOnAccess ? this.#k + 1 : Math.max(-1, left - 1);
      path.push(edge);
      yield* this.#from(
        path,
        edge.to,
        isOnAccess,
        next,
        rest.filter((word) => word.length > 0),
      );
      path.pop();
    }
    if (isLeaf && path.length > 0) yield { edges: [...path] };
  }
}
