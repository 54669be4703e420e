/** Deliberate faults in what happens when somebody presses Stop (section F, Q4, Q7, Q9). */
import type { Fault } from "./fault.ts";

const cancel = "harness/calls/cancel.ts";

export const stopFaults: readonly Fault[] = [
  {
    id: "refused-cancel-sticks",
    title: "a cancel of an idle lane is refused, and holds back the next operation all the same",
    edits: [
      {
        file: cancel,
        find: "    runtime.pendingCancels--;\n    throw refusal(runtime, named);",
        replace: "    throw refusal(runtime, named);",
      },
    ],
    breaks: ["C7", "F1", "C5"],
  },
  {
    id: "stale-cancel-holds-back",
    title: "a cancel that names another operation holds the open one back until it is refused",
    edits: [
      { file: cancel, find: "  assertOpen(runtime, operationId);\n", replace: "" },
      {
        file: cancel,
        find: "  if (named !== undefined && (operation",
        replace: "  void assertOpen;\n  if (named !== undefined && (operation",
      },
    ],
    breaks: ["Q7"],
  },
  {
    id: "stale-cancel-taken",
    title: "a cancel that names another operation ends the open one",
    edits: [
      {
        file: cancel,
        find: "  named !== undefined && named !== meta.operationId;",
        replace: '  named !== undefined && named === "" && meta.operationId !== "";',
      },
    ],
    breaks: ["Q7", "C7"],
  },
];
