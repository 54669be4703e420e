/**
 * A stream longer than the other bounds allow goes on alone: one frame after the other, with nothing amid but a crash or a
 * reader. So a content is met to its end, and each prefix of it after a crash, at the cost of a few states a frame.
 */
import { type EventType, lengthenedTo, type OperationEvent } from "../vocabulary.ts";
import type { Context, Durable } from "./rules/context.ts";

const amidLongStreams: ReadonlySet<EventType> = new Set([
  ...(["land", "reply", "listener.release", "hook.release", "stream.update", "stream.end"] as const),
  ...(["crash", "frames.damage", "reopen", "activate", "snapshot"] as const),
]);

/** Whether an exploration within the bounds takes this event, which the machine accepts. */
export function isExplored(c: Context, event: OperationEvent): boolean {
  const { frames } = c.bounds;
  if (event.type === "stream.update" && c.encoded >= frames) return isAlone(c);
  if (Math.max(c.encoded, streamed(c.durable)) <= frames) return true;
  return event.type === "stream.end" ? event.end === "stop" : amidLongStreams.has(event.type);
}

/** Everything before is stored, and nobody has meddled. */
const isAlone = ({ line, cancel, durable }: Context): boolean =>
  line.length === 0 && cancel === "none" && durable.at === "effect_pending" && durable.attempt === 1;

/** The stored frames of a stream; a list that was lengthened from outside has more, and is an adventure of its own. */
const streamed = ({ listed }: Durable): number => (listed < lengthenedTo ? listed : 0);
