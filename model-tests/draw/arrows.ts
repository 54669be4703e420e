/** What leads from state to state, read from the explored graph: the arrows of every chart, with words for what happens. */
import type { ResponseInsert } from "../../machines/index.ts";
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";

/** One transition of the graph as a chart tells it. */
export interface Arrow {
  /** Paths of the states. */
  readonly from: string;
  readonly to: string;
  readonly event: string;
  /** What happens: the event, or the commit that is replied. */
  readonly words: string;
  /** How the response ends that this commit makes an entry, where it does so. */
  readonly stop: ResponseInsert["stop"] | undefined;
  /** What else holds before it that may decide where it leads. */
  readonly conditions: ReadonlySet<string>;
}

export function arrowsOf(graph: Graph): Arrow[] {
  const stops = stopsOf(graph);
  return graph.edges.map((edge) => {
    const from = nodeAt(graph, edge.from);
    const to = nodeAt(graph, edge.to);
    return {
      from: from.path,
      to: to.path,
      event: edge.event.type,
      words: wordsOf(edge, from, to),
      stop: edge.event.type === "reply" ? stops.get(from.index) : undefined,
      conditions: conditionsOf(from),
    };
  });
}

const nodeAt = ({ nodes }: Graph, index: number): GraphNode => nodes[index] as GraphNode;

function wordsOf({ event }: GraphEdge, from: GraphNode, to: GraphNode): string {
  if (event.type !== "reply") return event.type;
  const commit = from.expected.line[0];
  return commit === "frame" && from.path !== to.path ? "last frame replied" : `${commit} replied`;
}

/** The closest first: a reader wants one reason. */
function conditionsOf({ expected: { line, durable } }: GraphNode): ReadonlySet<string> {
  const waits = line.includes("cancel");
  const cancelled = durable.control === "cancelled" || (line.includes("terminal") && durable.outcome === "aborted");
  return new Set([
    ...(line.includes("finalize") ? [amidFinalization] : []),
    ...(waits ? ["while cancel waits"] : []),
    ...(cancelled ? ["once cancelled"] : []),
    ...(waits || cancelled ? [amidCancel] : []),
    ...(line.includes("frame") ? ["while frames wait"] : []),
    ...(line.length > 0 && durable.at === "retry_wait" ? ["with attempts left"] : []),
  ]);
}

export const amidCancel = "after a cancel";
export const amidFinalization = "while finalize waits";

/** By state whose head of the line has made a response durable and is not replied yet: how that response ended. */
function stopsOf(graph: Graph): ReadonlyMap<number, ResponseInsert["stop"]> {
  const stops = new Map<number, ResponseInsert["stop"]>();
  const waiting = graph.edges.flatMap((edge) =>
    edge.effects.flatMap((effect) =>
      effect.kind === "response" ? [{ index: edge.to, stop: effect.insert.stop }] : [],
    ),
  );
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { index, stop } = next;
    const known = stops.get(index);
    if (known !== undefined && known !== stop)
      throw new Error(`State ${index} follows a response of ${known} and of ${stop}`);
    if (known !== undefined) continue;
    stops.set(index, stop);
    for (const { to } of nodeAt(graph, index).edges) {
      if (awaitsSettlement(nodeAt(graph, to))) waiting.push({ index: to, stop });
    }
  }
  return stops;
}

const awaitsSettlement = ({ expected: { landed, line, process } }: GraphNode): boolean =>
  process === "up" && landed > 0 && (line[0] === "settle" || line[0] === "recover");
