/** What others do to the storage while no process holds the session. */
import { lengthenedTo } from "../../vocabulary.ts";
import { type Context, landed, settles } from "../rules/context.ts";
import { at, lineIsEmpty, not, show, update, when } from "../rules/words.ts";

/** An outside party ends the operation on the storage while no process holds the session (K3). */
export const finalizeOffline = {
  guard: when(not(at("none")), lineIsEmpty),
  actions: [
    show(() => [settles("finalize", "ok")]),
    update((c) => ({ durable: landed(c, { commit: "finalize" }), due: false })),
  ],
};

/**
 * Somebody else has shortened, removed or lengthened the frame list while no process was up: the restart point
 * stays the same; only the content of the recovered response may differ (N1, E2).
 */
const otherFrames = (listed: (c: Context) => number) => ({
  guard: when(
    at("effect_pending", "deferred.effect_pending"),
    (c) => c.durable.listed > 0 && c.durable.listed !== listed(c),
  ),
  actions: update((c) => ({ durable: { ...c.durable, listed: listed(c) } })),
});
/** The last frame is none that the reducer takes: what is before it counts (B4). */
const damagedFrame = {
  guard: when(at("effect_pending", "deferred.effect_pending"), (c) => c.durable.listed > 0),
  actions: show(() => []),
};
/** The events by which others change a frame list. */
export const frameTampering = {
  "frames.cut": otherFrames((c) => (c.durable.listed === lengthenedTo ? lengthenedTo : c.durable.listed - 1)),
  "frames.remove": otherFrames(() => 0),
  "frames.lengthen": otherFrames(() => lengthenedTo),
  "frames.damage": damagedFrame,
};
