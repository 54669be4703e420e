/** Hand-made histories of settlements, stops, ends and announcements (sections D, E, I, J, K, O). */
import type { HistoryStep } from "../../history.ts";
import type { RequirementId } from "../../requirements.ts";
import {
  accepts,
  announced,
  appends,
  landing,
  lands,
  requests,
  settlement,
  startFrame,
  step,
  terminal,
} from "../hand-made.ts";
import type { Cases } from "./cases.ts";

const ends = (outcome: HistoryStep["calls"][number]["outcome"], announces: boolean): HistoryStep =>
  step("reply", {
    calls: [{ call: "activate", outcome }],
    events: announces ? [{ name: "operation_end", recovery: false }] : [],
  });

/** The cases of sections D, E, I, J, K and O, but for those of an audience. */
export const operationCases = {
  D1: {
    good: { "response, usage, decision": [lands(settlement("settle", "stop"))] },
    bad: {
      "no usage row": { step: 0, history: [lands(settlement("settle", "stop", { usage: [] }))] },
      "the usage of another response": {
        step: 0,
        history: [lands(settlement("settle", "stop", { usage: [{ id: "u1", entryId: "r0" }] }))],
      },
      "no decision": { step: 0, history: [lands(settlement("recover", "error", { decides: false }))] },
      "a settlement without a response": { step: 0, history: [lands(settlement("settle", "stop", { responses: [] }))] },
      "a response in an internal transaction": {
        step: 0,
        history: [lands(landing("internal", { responses: [{ id: "r1", stop: "stop", toolCalls: 0 }] }))],
      },
    },
    without: [lands(landing("intent"), appends(startFrame), terminal())],
  },
  K3: {
    good: { "each operation ends once": [lands(terminal()), lands(terminal("terminal", { ends: "op2" }))] },
    bad: {
      "the drive ends what was finalized": { step: 1, history: [lands(terminal("finalize")), lands(terminal())] },
      "a failure ends it in its settlement": {
        step: 1,
        history: [lands(terminal()), lands(settlement("settle", "error", { ends: "op" }))],
      },
    },
    without: [lands(landing("intent"))],
  },
  K1: {
    good: {
      "closed, and only the outside party waits": [
        step("close", { calls: [{ call: "close", outcome: "ok" }], openCalls: ["finalize"] }),
      ],
    },
    bad: {
      "a cancel stays pending": {
        step: 1,
        history: [step("cancel"), step("close", { calls: [{ call: "close", outcome: "ok" }], openCalls: ["cancel"] })],
      },
    },
    without: [step("close", { openCalls: ["close", "cancel"] })],
  },
  K2: {
    good: { "every promise is rejected": [step("fail", { events: [{ name: "fault", recovery: false }] })] },
    bad: {
      "a snapshot stays pending": {
        step: 0,
        history: [step("fail", { events: [{ name: "fault", recovery: false }], openCalls: ["snapshot"] })],
      },
    },
    without: [step("fail", { openCalls: ["activate"] })],
  },
  O2: {
    good: {
      "announced with the result": [ends("completed", true)],
      "another operation ends as well": [ends("failed", true), accepts(), ends("aborted", true)],
      "a finalization without a drive, then a new operation": [
        step("reply", { events: [{ name: "operation_end", recovery: false }] }),
        accepts(),
        ends("completed", true),
      ],
    },
    bad: {
      "the drive resolves in silence": { step: 1, history: [step("activate"), ends("finalized", false)] },
      "a listener was held, but has returned": {
        step: 2,
        history: [announced("message_start", false), step("listener.release"), ends("completed", false)],
      },
      "announced again": {
        step: 1,
        history: [ends("completed", true), step("late", { events: [{ name: "operation_end", recovery: false }] })],
      },
    },
    without: [announced("message_update", false), ends("finalized", false)],
  },
  J1: {
    good: {
      "message_end, then the settlement": [
        requests(),
        announced("message_end", false),
        lands(settlement("settle", "stop")),
      ],
      "each attempt has its own": [
        requests(),
        announced("message_end", false),
        lands(settlement("settle", "error")),
        requests(),
        announced("message_end", false),
        lands(settlement("settle", "stop")),
      ],
      "a recovery after an operation that was finalized amid its response": [
        requests(),
        announced("message_end", false),
        lands(landing("finalize")),
        lands(landing("accept")),
        announced("message_end", true),
        lands(settlement("recover", "error")),
        requests(),
        announced("message_end", false),
        lands(settlement("settle", "stop")),
      ],
    },
    bad: {
      "no message_end": { step: 1, history: [requests(), lands(settlement("settle", "stop"))] },
      "message_end of the attempt before": {
        step: 3,
        history: [requests(), announced("message_end", false), requests(), lands(settlement("settle", "stop"))],
      },
      "message_end comes again with the reply": {
        step: 3,
        history: [
          requests(),
          announced("message_end", false),
          lands(settlement("settle", "stop")),
          announced("message_end", false),
        ],
      },
    },
    without: [requests(), announced("message_end", true), lands(settlement("recover", "error"))],
  },
  J3: {
    good: { "after the landing": [lands(settlement("settle", "stop")), announced("entry_added", false)] },
    bad: {
      "before the landing": {
        step: 0,
        history: [announced("entry_added", false), lands(settlement("settle", "stop"))],
      },
      twice: {
        step: 2,
        history: [
          lands(settlement("recover", "error")),
          announced("entry_added", true),
          announced("entry_added", false),
        ],
      },
    },
    without: [lands(settlement("settle", "stop")), announced("message_end", false)],
  },
  I4: {
    good: {
      "in order, over several steps": [
        announced("message_start", true),
        announced("message_end", true),
        announced("entry_added", true),
      ],
      "a recovery that was cut short starts over after the reopen": [
        announced("message_start", true),
        step("reopen"),
        announced("message_start", true),
        announced("message_end", true),
        announced("entry_added", true),
      ],
      "after an operation that was finalized amid its response": [
        requests(),
        lands(landing("finalize")),
        lands(landing("accept")),
        announced("message_start", true),
        announced("message_end", true),
        announced("entry_added", true),
      ],
    },
    bad: {
      "a live response is tagged": { step: 1, history: [requests(), announced("message_start", true)] },
      "no message_end": { step: 1, history: [announced("message_start", true), announced("entry_added", true)] },
      "an update is replayed": {
        step: 3,
        history: [
          announced("message_start", true),
          announced("message_update", true),
          announced("message_end", true),
          announced("entry_added", true),
        ],
      },
    },
    without: [announced("message_start", false), announced("message_end", false), announced("entry_added", false)],
  },
  E8: {
    good: { "a later request sees what succeeded": [lands(settlement("settle", "error")), requests("toolUse")] },
    bad: {
      "an error in the context": { step: 1, history: [lands(settlement("settle", "error")), requests("error")] },
      "an aborted response in the context": {
        step: 2,
        history: [lands(settlement("recover", "aborted")), requests("stop"), requests("stop", "aborted")],
      },
    },
    without: [requests("error")],
  },
} satisfies Partial<Record<RequirementId, Cases>>;
