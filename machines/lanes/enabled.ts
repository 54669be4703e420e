/** What may happen next in a session with two lanes. */
import type { OperationEvent } from "../vocabulary.ts";
import { type LaneBounds, laneEvents, sessionEvents } from "./bounds.ts";
import { head, type Line, nextToLand } from "./line.ts";
import { advance, type Session } from "./session.ts";
import { type JointEvent, type LaneName, laneNames, type PerLane } from "./vocabulary.ts";

/**
 * What may happen next in a session with two lanes, within bounds.
 *
 * @returns every event that may happen next, those of the whole session first.
 */
export function enabledEvents(session: Session, bounds: PerLane<LaneBounds>): JointEvent[] {
  const { lanes } = session;
  const ofLane = (lane: LaneName): JointEvent[] =>
    laneEvents.flatMap((event) =>
      lanes[lane].step(event) !== undefined &&
      isWithin(bounds[lane], session, lane, event) &&
      isEnabled(session, lane, event)
        ? [{ lane, event }]
        : [],
    );
  return [
    ...sessionEvents
      .filter((event) => laneNames.some((lane) => lanes[lane].step(event) !== undefined))
      .map((event) => ({ event })),
    ...laneNames.flatMap(ofLane),
  ];
}

function isWithin(bounds: LaneBounds, session: Session, lane: LaneName, event: OperationEvent): boolean {
  const isFirst = session.lanes[lane].path === "up.idle";
  if (event.type === "accept" && bounds.operations === "one" && !isFirst) return !joinsLine(session, lane, event);
  return !bounds.never.includes(event.type);
}

/** Whether the order of the one line, and the one process, allow what the lane by itself would. */
function isEnabled(session: Session, lane: LaneName, event: OperationEvent): boolean {
  const { lanes, line } = session;
  const { path } = lanes[lane];
  if (activationWaits(line) && (settlesWithoutHook(session, lane, event) || joinsLine(session, lane, event)))
    return false;
  switch (event.type) {
    case "land":
      return nextToLand(line)?.lane === lane;
    case "reply":
    case "fail":
    case "lose_reply":
      return head(line)?.lane === lane;
    // With nothing at the store: how much of the line a harness keeps when it stops is the business of one lane.
    case "stream.defect":
      return line.length === 0;
    case "activate":
      return line.length === 0 || mayActivateBehind(session, lane, event);
    // When a harness takes a snapshot behind other commits is its own affair, but for that of a live stream.
    case "snapshot":
      return line.length === 0 || (path === "up.effect_pending.streaming" && !line.some(({ landed }) => landed));
    case "finalize":
      return path.startsWith("up.") && (line.length === 0 || joinsLine(session, lane, event));
    // Amid its own intent, a cancel leads to a recovery that may be queued early or late.
    case "cancel":
      return path !== "up.effect_pending.requesting" && (line.length === 0 || joinsLine(session, lane, event));
    case "accept":
      return line.length === 0 || joinsLine(session, lane, event);
    default:
      return true;
  }
}

/**
 * An activation behind other commits begins at its turn, or at once: that is the harness's own affair, so nothing else may be
 * queued meanwhile. Of its own lane's commits only those may be ahead that it waits for.
 */
function mayActivateBehind(session: Session, lane: LaneName, event: OperationEvent): boolean {
  if (session.line.every((place) => place.lane === lane)) return !joinsLine(session, lane, event);
  const { line } = advance(session, { lane, event }).session;
  return activationWaits(line) && session.line.every((place) => place.lane !== lane) && queuesNothing(session);
}

/** Whether what an activation has begun waits behind other commits. */
const activationWaits = (line: Line): boolean =>
  line.some(({ commit, idle }, at) => at > 0 && !idle && (commit === "intent" || commit === "recover"));

const lands: OperationEvent = { type: "land" };
const isReplied: OperationEvent = { type: "reply" };

/** The end of a cancelled stream: the reply of its latest frame queues the settlement, without a hook in between. */
const settlesWithoutHook = ({ lanes }: Session, lane: LaneName, { type }: OperationEvent): boolean =>
  type === "stream.end" && lanes[lane].snapshot.context.cancel !== "none";

/** Whether all that is on the line can be replied without anything new being queued. */
function queuesNothing(session: Session): boolean {
  const place = head(session.line);
  if (place === undefined) return true;
  const { lane } = place;
  const landed = place.landed ? session : advance(session, { lane, event: lands }).session;
  const replied = advance(landed, { lane, event: isReplied }).session;
  return replied.line.length < session.line.length && queuesNothing(replied);
}

/** Whether a call has a transaction of its own; any other is answered at its turn, which is at once on an empty line only. */
const joinsLine = (session: Session, lane: LaneName, event: OperationEvent): boolean =>
  advance(session, { lane, event }).session.line.length > session.line.length;
