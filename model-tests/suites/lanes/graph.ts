/** The reachable graph of a session with two lanes, breadth first: one node a joint state, one edge an enabled event. */
import {
  advance,
  enabledEvents,
  isResting,
  type JointEvent,
  type LaneBounds,
  type LaneName,
  type LaneState,
  newSession,
  type PerLane,
  type Place,
  perLane,
  project,
  type Session,
  stateName,
} from "../../../machines/index.ts";
import { actionOf, type GraphEdge, type GraphNode } from "../../explore/graph.ts";

export interface JointNode {
  readonly index: number;
  /** The states of both lanes and the order of the line, for reports. */
  readonly path: string;
  /** Each lane as a node of its own, for the comparison of one lane. */
  readonly lanes: PerLane<GraphNode>;
  readonly line: readonly Place[];
  readonly edges: JointEdge[];
}

export interface JointEdge {
  readonly index: number;
  readonly from: number;
  readonly to: number;
  readonly joint: JointEvent;
  /** What happens, and on which lane. */
  readonly action: string;
  /** What each lane's observer sees of it: a lane that is not acted on takes a step that shows nothing. */
  readonly lanes: PerLane<GraphEdge>;
}

export interface JointGraph {
  readonly bounds: PerLane<LaneBounds>;
  readonly nodes: readonly JointNode[];
  readonly edges: readonly JointEdge[];
}

export function exploreSession(bounds: PerLane<LaneBounds>): JointGraph {
  const nodes: JointNode[] = [];
  const edges: JointEdge[] = [];
  const sessions: Session[] = [];
  const known = new Map<string, number>();
  const laneNode = laneNodes();
  const meet = (session: Session): number => {
    const key = `${perLaneKey(session)} ${session.line.map(placeKey).join()}`;
    const index = known.get(key) ?? nodes.length;
    if (index === nodes.length) {
      known.set(key, index);
      sessions.push(session);
      nodes.push({
        index,
        path: pathOfSession(session),
        lanes: perLane((lane) => laneNode(session.lanes[lane])),
        line: session.line,
        edges: [],
      });
    }
    return index;
  };
  meet(newSession(bounds));
  for (let from = 0; from < nodes.length; from++) {
    const session = sessions[from] as Session;
    for (const joint of enabledEvents(session, bounds)) {
      const { session: reached, shown } = advance(session, joint);
      const to = meet(reached);
      const laneEdge = (lane: LaneName): GraphEdge => {
        const event = joint.lane === undefined || joint.lane === lane ? joint.event : bystands;
        const ends = { from: nodes[from]?.lanes[lane].index ?? 0, to: nodes[to]?.lanes[lane].index ?? 0 };
        return { index: edges.length, ...ends, event, action: actionOf(event), effects: shown[lane] };
      };
      const edge = { index: edges.length, from, to, joint, action: jointLabel(joint), lanes: perLane(laneEdge) };
      edges.push(edge);
      nodes[from]?.edges.push(edge);
    }
  }
  return { bounds, nodes, edges };
}

/** A step of the other lane. Nothing is called on this one: like a snapshot, it leaves everything as it is. */
const bystands = { type: "snapshot" } as const;

const jointLabel = ({ lane, event }: JointEvent): string =>
  lane === undefined ? actionOf(event) : `${lane}: ${actionOf(event)}`;

const perLaneKey = ({ lanes }: Session): string => `${lanes.a.key} ${lanes.b.key}`;

const placeKey = ({ lane, commit, landed, idle }: Place): string =>
  `${lane} ${commit}${landed ? " landed" : ""}${idle ? " idle" : ""}`;

const pathOfSession = ({ lanes, line }: Session): string =>
  `a ${stateName(lanes.a.path)}, b ${stateName(lanes.b.path)} [${line.map(placeKey).join(", ")}]`;

/** One node for each state of a lane, however many joint states it is part of. */
function laneNodes(): (state: LaneState) => GraphNode {
  const nodes = new Map<LaneState, GraphNode>();
  return (state) => {
    const { key, path, snapshot } = state;
    const node = nodes.get(state) ?? {
      index: nodes.size,
      key,
      path,
      expected: project(snapshot),
      resting: isResting(snapshot),
      edges: [],
    };
    nodes.set(state, node);
    return node;
  };
}
