/** The machine has no state in which it is stuck. */
import { expect, test } from "vitest";
import { alphabet, boundsByName, streamEndings } from "../../machines/index.ts";
import { explore, type GraphEdge, type GraphNode } from "./graph.ts";

const graph = explore(boundsByName.default);

/** A provider may answer every request with tool calls: each such end is a further request, not a rest of this one. */
const asksAgain = ({ event }: GraphEdge): boolean => event.type === "stream.end" && streamEndings[event.end].asksAgain;

/** What the surroundings owe a process that is up: storage, listeners, hooks, tools, the clock, the rest of its stream. */
const progress = (node: GraphNode): readonly GraphEdge[] =>
  node.edges.filter((edge) => alphabet[edge.event.type].owed && !asksAgain(edge));

const isUp = ({ expected }: GraphNode): boolean => expected.process === "up";
const nodeAt = (index: number): GraphNode => graph.nodes[index] as GraphNode;

/** The longest way that progress can take from each node; throws where it can go round. */
function longestWays(): number[] {
  const longest: (number | undefined)[] = new Array(graph.nodes.length);
  const onPath = new Set<number>();
  const measure = (index: number): number => {
    const known = longest[index];
    if (known !== undefined) return known;
    if (onPath.has(index)) throw new Error(`Progress goes round through ${nodeAt(index).path}`);
    onPath.add(index);
    const ways = progress(nodeAt(index)).map(({ to }) => 1 + measure(to));
    onPath.delete(index);
    longest[index] = Math.max(0, ...ways);
    return longest[index] as number;
  };
  return graph.nodes.map(({ index }) => measure(index));
}

test("[N13] from every state what the surroundings owe is finite", () => {
  expect(Math.max(...longestWays())).toBeLessThan(100);
});

test("[N13] where nothing more is owed, no drive is left and nothing is on the line", () => {
  const ended = graph.nodes.filter((node) => isUp(node) && progress(node).length === 0);

  expect(ended.filter(({ expected }) => expected.drive || expected.line.length > 0).map(({ path }) => path)).toEqual(
    [],
  );
  expect(ended.length).toBeGreaterThan(0);
});

test("[N13] an open operation that nobody drives goes on with one activation, and a deferred one with one permit", () => {
  const undriven = graph.nodes.filter(
    (node) => isUp(node) && node.expected.snapshot.open && !node.expected.drive && node.expected.line.length === 0,
  );
  const moves = (node: GraphNode): boolean => {
    const needed = node.expected.durable.at.startsWith("deferred.") ? "permit" : "activate";
    const edge = node.edges.find(({ event }) => event.type === needed);
    return edge !== undefined && nodeAt(edge.to).expected.drive;
  };
  const capped = (node: GraphNode): boolean => node.expected.durable.poll === graph.bounds.polls;

  expect(undriven.filter((node) => !moves(node) && !capped(node)).map(({ path }) => path)).toEqual([]);
  expect(new Set(undriven.map(({ path }) => path))).toContain("up.deferred.unknown");
});
