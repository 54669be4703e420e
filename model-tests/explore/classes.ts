/** Which states of a graph nobody can tell apart: the coarsest bisimulation, by partition refinement. */
import type { Graph, GraphEdge, GraphNode } from "./graph.ts";

/**
 * The class of each node. Two nodes of one class predict the same observation, and the same transitions, with the same
 * effects, to nodes of one class. Classes are numbered in the order of their first nodes.
 */
export function classesOf({ nodes }: Graph): Int32Array {
  const shown = nodes.map(({ edges }) => edges.map(shownBy));
  let classes = numbered(nodes.map(seenAt));
  for (let count = 0; count !== classes.count; ) {
    count = classes.count;
    const { of } = classes;
    classes = numbered(
      nodes.map(({ index, edges }) => {
        const steps = edges.map(({ to }, at) => `${shown[index]?.[at]} ${of[to]}`).sort();
        return `${of[index]} ${steps.join("\n")}`;
      }),
    );
  }
  return classes.of;
}

/** All that the comparison of a step asks of the state in which it ends, and whether the lane rests there. */
const seenAt = ({ expected, path, resting }: GraphNode): string => JSON.stringify([path, expected, resting]);

const shownBy = ({ event, effects }: GraphEdge): string => JSON.stringify([event, effects]);

/** Equal words have equal numbers, given in the order in which they first come. */
function numbered(words: readonly string[]): { readonly of: Int32Array; readonly count: number } {
  const numbers = new Map<string, number>();
  const of = Int32Array.from(words, (word) => {
    const number = numbers.get(word) ?? numbers.size;
    numbers.set(word, number);
    return number;
  });
  return { of, count: numbers.size };
}
