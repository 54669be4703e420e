/** A fresh attempt, and what becomes of it after a crash. */
import { push } from "../rules/context.ts";
import { operation, update } from "../rules/words.ts";
import { contest, joins, open } from "../transitions/calls.ts";
import { settlementReplies } from "../transitions/settlements.ts";
import { requesting, streamAndSettlement } from "./response.ts";

/** A fresh attempt is driven, from its intent to its settlement. */
export const effectPending = operation.createStateConfig({
  initial: "requesting",
  on: { ...open, activate: joins },
  states: {
    requesting: requesting("request", "The intent is on the line; no request was made yet."),
    ...streamAndSettlement("request"),
  },
});

/** An orphaned generation before any activation (E1). */
export const suspended = operation.createStateConfig({
  description: "Restored with an orphaned generation; nothing reads its frames until an activation (E1).",
  on: {
    ...open,
    activate: [
      contest,
      {
        target: "recovering",
        actions: update((c) => ({ drive: true, line: push(c, "recover") })),
      },
    ],
  },
});

/** The synthetic settlement of an orphaned generation is on the line (E3). */
export const recovering = operation.createStateConfig({
  on: { ...open, activate: joins, reply: settlementReplies.recovery },
});
