/**
 * The reachable graph of a machine under stated bounds: one node a state, one edge an enabled event. It is plain data, so
 * that it can be handed to another thread.
 */
import { getAdjacencyMap } from "@xstate/graph";
import {
  type Bounds,
  type Effect,
  type Expected,
  isExplored,
  isResting,
  type OperationEvent,
  type OperationSnapshot,
  operationEvents,
  operationMachine,
  pathOf,
  project,
  type StateData,
} from "../../machines/index.ts";

/** One reachable state of the machine. */
export interface GraphNode {
  readonly index: number;
  readonly key: string;
  /** Dotted path of the state value. */
  readonly path: string;
  readonly expected: Expected;
  readonly resting: boolean;
  readonly edges: GraphEdge[];
}

/** One transition: an event, with its case, in one state. */
export interface GraphEdge {
  readonly index: number;
  readonly from: number;
  readonly to: number;
  readonly event: OperationEvent;
  /** The event without the case that the implementation chooses: what coverage counts. */
  readonly action: string;
  readonly effects: readonly Effect[];
}

/** The reachable states and transitions of the machine. Node 0 is the initial state. */
export interface Graph {
  readonly bounds: Bounds;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly exploreMs: number;
}

/** The bounds are the same in every state. */
const stateKey = ({ value, context: { bounds: _, ...context } }: OperationSnapshot): string =>
  JSON.stringify([value, context]);

/** The state of a node, as data: its key holds all of it but the bounds. */
export function stateOf({ bounds }: Graph, { key }: GraphNode): StateData {
  const [value, context] = JSON.parse(key) as [StateData["value"], Omit<StateData["context"], "bounds">];
  return { value, context: { ...context, bounds } };
}

/** The action of an event: `close` is one action, however much of the line was kept. */
export function actionOf(event: OperationEvent): string {
  if (event.type === "stream.end") return `stream.end ${event.end}`;
  if (event.type === "stream.defect") return `stream.defect ${event.defect}`;
  if (event.type === "tool.return") return `tool.return ${event.tool}`;
  return event.type;
}

const operationEventsIn = (state: OperationSnapshot): OperationEvent[] =>
  operationEvents.filter((event) => isExplored(state.context, event) && state.can(event));

interface Transition {
  readonly event: OperationEvent;
  readonly state: OperationSnapshot;
}

const explorationLimit = 10_000_000;

/** The reachable graph of the operation machine within bounds. */
export function explore(bounds: Bounds): Graph {
  const startedMs = performance.now();
  const { machine, effectsOf } = noting();
  const keys = new Map<OperationSnapshot, string>();
  const keyOf = (state: OperationSnapshot): string => {
    const known = keys.get(state) ?? stateKey(state);
    keys.set(state, known);
    return known;
  };
  const adjacency = getAdjacencyMap(machine, {
    input: { bounds },
    events: operationEventsIn,
    serializeState: (state) => keyOf(state),
    limit: explorationLimit,
  });
  const entries = Object.entries(adjacency);
  const indexOf = new Map(entries.map(([key], index) => [key, index]));
  const edges: GraphEdge[] = [];
  const nodes = entries.map(([key, { state, transitions }], index): GraphNode => {
    const node = nodeOf(index, key, state);
    for (const { event, state: target } of Object.values(transitions) as Transition[]) {
      const to = indexOf.get(keyOf(target));
      if (to === undefined) throw new Error(`The exploration lost the target of ${event.type}`);
      const edge = {
        index: edges.length,
        from: index,
        to,
        event,
        action: actionOf(event),
        effects: effectsOf(state, event),
      };
      edges.push(edge);
      node.edges.push(edge);
    }
    return node;
  });
  return { bounds, nodes, edges, exploreMs: performance.now() - startedMs };
}

const nodeOf = (index: number, key: string, state: OperationSnapshot): GraphNode => ({
  index,
  key,
  path: pathOf(state.value),
  expected: project(state),
  resting: isResting(state),
  edges: [],
});

/**
 * The machine, with a note of what each transition makes visible, in the order of the machine's own effects. The
 * adjacency map keeps the states only, and to ask for the effects afterwards would mean to make every transition twice.
 */
function noting() {
  const shown = new Map<OperationSnapshot, Map<OperationEvent, Effect[]>>();
  const machine: typeof operationMachine = Object.create(operationMachine);
  machine.transition = (state, event, scope) => {
    const effects: Effect[] = [];
    const next = operationMachine.transition(state, event, {
      ...scope,
      actionExecutor: ({ type, params }) => {
        if (type !== "show") throw new Error(`The machine has an effect that no observation reads: ${type}`);
        effects.push(...(params as unknown as readonly Effect[]));
      },
    });
    const ofState = shown.get(state) ?? new Map<OperationEvent, Effect[]>();
    shown.set(state, ofState.set(event, effects));
    return next;
  };
  const effectsOf = (state: OperationSnapshot, event: OperationEvent): readonly Effect[] => {
    const effects = shown.get(state)?.get(event);
    if (effects === undefined) throw new Error(`The exploration never made the transition ${event.type}`);
    return effects;
  };
  return { machine, effectsOf };
}
