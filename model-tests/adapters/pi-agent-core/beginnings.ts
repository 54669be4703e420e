/** How schedules begin that show a listed divergence. */

/** The request of a fresh attempt is made. */
export const untilStreams = ["accept", "land", "reply", "activate", "land", "reply"];
/** A fresh attempt streams. */
export const untilStreamEnds = [...untilStreams, "stream.start", "land", "reply", "listener.release"];
/** A cancel has landed before the intent of a fresh attempt. */
export const untilIntentLands = ["accept", "land", "reply", "activate", "cancel", "land", "reply", "land"];
/** A fresh response has been deferred and is settled. */
export const untilDeferred = [...untilStreamEnds, "stream.end deferred", "hook.release", "land", "reply"];
/** It is polled, and the poll streams. */
export const untilPollEnds = ["permit", "land", "reply", "stream.start", "land", "reply", "listener.release"];
/** Both calls of a fresh response run. */
export const untilToolsRun = [
  ...untilStreamEnds,
  ...["stream.end toolUse", "hook.release", "land", "reply"],
  ...["land", "reply", "land", "reply"],
];
