/**
 * A session with two lanes: two operation machines over one session line. A step acts on one lane and leaves the other as it
 * is, or acts on the session as a whole. Pure, as all of the specification is.
 */
import { processAfter } from "../alphabet.ts";
import { outsiderMayLearn, settles } from "../operation/rules/context.ts";
import { type Effect, isOutsider, type OperationEvent } from "../vocabulary.ts";
import type { LaneBounds } from "./bounds.ts";
import { type LaneState, newLane } from "./lane.ts";
import { head, type Line, requeue } from "./line.ts";
import { type JointEvent, type LaneName, type PerLane, type Place, perLane, type Shown } from "./vocabulary.ts";

/** The state of a session with two lanes. */
export interface Session {
  readonly lanes: PerLane<LaneState>;
  readonly line: Line;
}

/** What one event leads to in a session, and what each lane shows of it. */
export interface SessionStep {
  readonly session: Session;
  readonly shown: Shown;
}

/**
 * A session with two idle lanes.
 *
 * @returns a session in which no operation was ever accepted.
 */
export const newSession = (bounds: PerLane<LaneBounds>): Session => ({
  lanes: perLane((lane) => newLane(bounds[lane].bounds)),
  line: [],
});

/** What stops the harness on one lane is, to the other, a fault that comes from elsewhere (K2). */
const fault: OperationEvent = { type: "fault" };

const faultsHarness = (event: OperationEvent): boolean => processAfter(event) === "faults";

/**
 * What one event makes of a session, and what it shows on each lane.
 *
 * @param joint is enabled (see `enabledEvents`).
 */
export function advance(session: Session, joint: JointEvent): SessionStep {
  const { lane, event } = joint;
  if (lane === undefined) return advanceBoth(session, { a: event, b: event });
  if (!faultsHarness(event)) return advanceLane(session, lane, event);
  const { session: stopped, shown } = advanceBoth(
    session,
    perLane((it) => (it === lane ? event : fault)),
  );
  const rejected = perLane((it) => session.line.flatMap((place) => (place.lane === it ? rejectedCall(place) : [])));
  return { session: stopped, shown: perLane((it) => [...shown[it], ...rejected[it]]) };
}

function advanceLane({ lanes, line }: Session, lane: LaneName, event: OperationEvent): SessionStep {
  const step = lanes[lane].step(event);
  if (step === undefined) throw new Error(`${event.type} is not enabled on lane ${lane} in ${lanes[lane].path}`);
  const { to, effects } = step;
  const requeued = requeue(line, lane, to.snapshot.context.line, event.type === "reply");
  const now = effects.filter((effect) => !waitsForItsTurn(effect, lane, requeued));
  const shown: Shown = { a: [], b: [], [lane]: now };
  return passIdle({ lanes: { ...lanes, [lane]: to }, line: requeued }, shown);
}

/** One thing that happens to both lanes; whatever it is, nothing is left on the line. */
function advanceBoth({ lanes }: Session, events: PerLane<OperationEvent>): SessionStep {
  const steps = perLane((lane) => lanes[lane].step(events[lane]) ?? { to: lanes[lane], effects: [] });
  return {
    session: { lanes: perLane((lane) => steps[lane].to), line: [] },
    shown: perLane((lane) => steps[lane].effects),
  };
}

/** A call that only waits for its refusal is rejected as every pending call is (K2). */
function rejectedCall({ commit, idle }: Place): readonly Effect[] {
  if (!idle) return [];
  if (commit === "finalize") return [outsiderMayLearn];
  return commit === "cancel" ? [settles("cancel", "fault")] : [];
}

const waitsForItsTurn = (effect: Effect, lane: LaneName, line: Line): boolean =>
  effect.kind === "call" &&
  effect.outcome === "refused" &&
  line.some((place) => place.idle && place.lane === lane && place.commit === effect.call);

/** Places that have lost their operation pass as soon as they are the first; a call is refused with it. */
function passIdle({ lanes, line }: Session, shown: Shown): SessionStep {
  const place = head(line);
  if (place?.idle !== true) return { session: { lanes, line }, shown };
  const { lane, commit } = place;
  const refused = isOutsider(commit) ? [settles(commit, "refused")] : [];
  return passIdle({ lanes, line: line.slice(1) }, { ...shown, [lane]: [...shown[lane], ...refused] });
}
