/** Hand-made histories of watchers and of listeners that misbehave (I5, J4). */
import type { AnnouncedFact, HistoryStep, WatcherFact } from "../../history.ts";
import { landing, lands, step } from "../hand-made.ts";
import type { Cases } from "./cases.ts";

/** What listeners beside the application's own got and did, over a step that says the rest. */
const heard = (audience: Partial<HistoryStep["audience"]>, of: HistoryStep = step("reply")): HistoryStep => ({
  ...of,
  audience: { ...of.audience, ...audience },
});
const added = (entryId: string): AnnouncedFact => ({ name: "entry_added", recovery: false, entryId });
const ended = (operationId: string): AnnouncedFact => ({ name: "operation_end", recovery: false, operationId });
const update = (content: string): AnnouncedFact => ({ name: "message_update", recovery: false, content });
const tells = (...events: AnnouncedFact[]): HistoryStep => step("reply", { events });
const asked = (slow = false): WatcherFact => ({ kind: "asked", watcher: 1, slow });
const shows = (transcriptIds: readonly string[], operationId?: string): WatcherFact => ({
  kind: "subscribed",
  watcher: 1,
  transcriptIds,
  operationId,
});
const told = (event: AnnouncedFact): WatcherFact => ({ kind: "told", watcher: 1, event });
/** A watcher that got its snapshot at once. */
const watches = (...transcriptIds: string[]): HistoryStep =>
  heard({ watched: [asked(), shows(transcriptIds, "op")] }, step("snapshot"));
/** Both are told. */
const tellsBoth = (...events: AnnouncedFact[]): HistoryStep => heard({ watched: events.map(told) }, tells(...events));
/** The cases of I5 and J4. */
export const audienceCases: Readonly<Record<"I5" | "J4", Cases>> = {
  I5: {
    good: {
      "each later event": [tells(added("r1")), watches("r1"), tellsBoth(update("a")), tellsBoth(added("r2"))],
      "an answer amid the events of a step": [
        step("snapshot", { audience: heard({ watched: [asked()] }).audience }),
        heard({ watched: [shows(["r1"], "op"), told(ended("op"))] }, tells(added("r1"), ended("op"))),
      ],
      "the own listener behind, then on a level": [
        heard({ held: true, watched: [asked(), shows([])] }, tells(update("a"))),
        heard({ held: true, watched: [told(added("r1"))] }),
        tells(added("r1")),
      ],
      "the watcher behind, then on a level": [
        watches(),
        heard({ held: true }, tells(update("a"))),
        heard({ watched: [told(update("a"))] }, step("listener.release")),
      ],
      "a slow watcher is told the first event": [
        heard({ watched: [asked(true), shows([])] }),
        heard({ watched: [told(update("a"))] }, tells(update("a"))),
        tells(update("b")),
      ],
      "the watcher of a process before": [
        watches(),
        tellsBoth(update("a")),
        step("crash"),
        step("reopen"),
        tells(added("r2")),
      ],
      "the end of a later operation": [
        heard({ watched: [asked(), shows([])] }),
        lands(landing("accept")),
        tellsBoth(ended("op")),
      ],
    },
    bad: {
      "an event is lost": { step: 2, history: [watches(), tellsBoth(update("a")), tells(update("b"))] },
      "an event comes twice": {
        step: 1,
        history: [watches(), heard({ watched: [told(update("a")), told(update("a"))] }, tells(update("a")))],
      },
      "two events change places": {
        step: 1,
        history: [
          watches(),
          heard({ watched: [told(added("r1")), told(update("a"))] }, tells(update("a"), added("r1"))),
        ],
      },
      "an event says something else": {
        step: 1,
        history: [watches(), heard({ watched: [told(update("b"))] }, tells(update("a")))],
      },
      "an entry that the snapshot shows is announced again": {
        step: 1,
        history: [
          step("snapshot"),
          heard({ watched: [asked(), shows(["r1"]), told(added("r1"))] }, tells(added("r1"))),
        ],
      },
      "an entry is neither shown nor announced": {
        step: 0,
        history: [heard({ watched: [asked(), shows([])] }, tells(added("r1")))],
      },
      "the end of the open operation is lost": {
        step: 0,
        history: [heard({ watched: [asked(), shows([], "op")] }, tells(ended("op")))],
      },
      "the end of an operation comes after a snapshot without it": {
        step: 1,
        history: [
          lands(landing("accept")),
          heard({ watched: [asked(), shows([]), told(ended("op"))] }, tells(ended("op"))),
        ],
      },
      "an event of before": {
        step: 1,
        history: [tells(update("a")), heard({ watched: [asked(), shows([]), told(update("a"))] })],
      },
      "a slow watcher misses the first": {
        step: 1,
        history: [
          heard({ watched: [asked(true), shows([])] }),
          heard({ watched: [told(update("b"))] }, tells(update("a"), update("b"))),
        ],
      },
    },
    without: [tells(added("r1")), heard({ watched: [asked()] }), tells(update("a"))],
  },
  J4: {
    good: { "each throw is reported": [heard({ throws: 2, reports: 2 }), heard({ throws: 1, reports: 1 })] },
    bad: {
      "a throw is swallowed": { step: 1, history: [step("land"), heard({ throws: 2, reports: 1 })] },
      "a report comes twice": { step: 0, history: [heard({ throws: 1, reports: 2 })] },
      "a watcher sees what another listener has changed": {
        step: 0,
        history: [heard({ throws: 1, reports: 1, altered: ["an event was changed by a listener"] })],
      },
    },
    without: [tells(update("a")), watches()],
  },
};
