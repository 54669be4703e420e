/** Walks a session with two lanes by hand: `a: accept`, `b: stream.end stop`, `crash`. */
import { type LaneBounds, laneBounds, laneBoundsFor } from "../lanes/bounds.ts";
import { enabledEvents } from "../lanes/enabled.ts";
import { advance, newSession, type Session } from "../lanes/session.ts";
import { type JointEvent, type PerLane, perLane, type Shown } from "../lanes/vocabulary.ts";

/** A walk of a session so far. */
export interface SessionWalk {
  readonly session: Session;
  readonly places: PerLane<string>;
  /** The line as text: `a frame landed`, `b intent`, `a cancel idle`. */
  readonly line: readonly string[];
  /** What the last step showed. */
  readonly shown: Shown;
  /** What may happen next. */
  readonly enabled: readonly string[];
  /** Follow further events; an event that is not enabled throws. */
  and(...words: string[]): SessionWalk;
}

const wordOf = ({ lane, event }: JointEvent): string => {
  const detail = event.type === "stream.end" ? ` ${event.end}` : "";
  return `${lane === undefined ? "" : `${lane}: `}${event.type}${detail}`;
};

/** A walk from the initial session. */
export const walkSession = (...words: string[]): SessionWalk => walkWithin(laneBounds, words);

/** The same for a harness that faults at a protocol defect (B3). */
export const walkFaultingSession = (...words: string[]): SessionWalk => walkWithin(laneBoundsFor("harness"), words);

type AllBounds = PerLane<LaneBounds>;

const walkWithin = (bounds: AllBounds, words: readonly string[]): SessionWalk =>
  walkFrom(bounds, newSession(bounds), { a: [], b: [] }, words);

function walkFrom(bounds: AllBounds, from: Session, shownLast: Shown, words: readonly string[]): SessionWalk {
  let session = from;
  let shown = shownLast;
  for (const word of words) {
    const event = enabledEvents(session, bounds).find((candidate) => wordOf(candidate) === word);
    if (event === undefined)
      throw new Error(`${word} is not enabled with ${session.lanes.a.path}, ${session.lanes.b.path}`);
    ({ session, shown } = advance(session, event));
  }
  return {
    session,
    places: perLane((lane) => session.lanes[lane].path.replace(/^up\./, "")),
    line: session.line.map(
      ({ lane, commit, landed, idle }) => `${lane} ${commit}${landed ? " landed" : ""}${idle ? " idle" : ""}`,
    ),
    shown,
    enabled: enabledEvents(session, bounds).map(wordOf),
    and: (...more) => walkFrom(bounds, session, shown, more),
  };
}

/** Each lane's steps to a place, with an empty line behind them. */
export const roadOf = (lane: "a" | "b") => {
  const on = (...words: string[]): string[] => words.map((word) => `${lane}: ${word}`);
  return {
    ready: on("accept", "land", "reply"),
    streaming: on("accept", "land", "reply", "activate", "land", "reply"),
    /** One frame is durable. */
    listed: on("accept", "land", "reply", "activate", "land", "reply", "stream.start", "land", "reply"),
    /** The settlement is on the line. */
    settling: on(
      ...["accept", "land", "reply", "activate", "land", "reply", "stream.start", "land", "reply"],
      ...["stream.end stop", "hook.release"],
    ),
  };
};
