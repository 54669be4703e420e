/** Deliberate faults in how tool calls are made, one by one (Q1, F4, D5, Q5). */
import type { Edit, Fault } from "./fault.ts";

const inStep = (find: string, replace: string): Edit => ({ file: "harness/drive/tools.ts", find, replace });
const inResults = (find: string, replace: string): Edit => ({
  file: "harness/settlement/plan-results.ts",
  find,
  replace,
});

export const toolFaults: readonly Fault[] = [
  {
    id: "call-before-its-mark",
    title: "a call starts while its mark is on its way",
    edits: [
      inStep(
        "  await drive.transact((view, operation) =>\n    isCancelled",
        "  void drive.transact((view, operation) =>\n    isCancelled",
      ),
    ],
    breaks: ["Q1", "E6", "C7"],
  },
  {
    id: "undeclared-call-repeated",
    title: "a call of unknown outcome is made again, whatever its tool declares",
    edits: [inStep('planned.replay === "safe" && repeatable.includes(source.name) && runsOf', "runsOf")],
    breaks: ["Q1", "C7"],
  },
  {
    id: "repeats-without-end",
    title: "a call that is safe to repeat is made again at every boot",
    edits: [inStep(" && runsOf(planned) < maxRuns", " && maxRuns > 0")],
    breaks: ["D5", "Q1", "C7"],
  },
  {
    id: "repeats-not-counted",
    title: "the mark of a repeated call counts one start",
    edits: [inStep("runs: runsOf(planned) + 1 } as const", "runs: 1 } as const")],
    breaks: ["Q1", "C7"],
  },
  {
    id: "finished-call-made-again",
    title: "a restart makes a call again whose result waits for an earlier one",
    edits: [
      inStep(
        "calls.filter(({ planned }) => !isFinished(planned))",
        'calls.filter(({ planned }) => planned.status !== "completed")',
      ),
    ],
    breaks: ["Q1", "C7"],
  },
  {
    id: "unknown-outcome-unsaid",
    title: "the error of an interrupted call does not say that its outcome is unknown",
    edits: [inStep("mayRepeat ? undefined : toolErrors.interrupted", "mayRepeat ? undefined : toolErrors.noRunner")],
    breaks: ["Q1"],
  },
  {
    id: "call-started-after-cancel",
    title: "a call starts whose mark was replied after a cancel was called",
    edits: [inStep("  return !drive.lane.cancelRequested;\n", "  return true;\n")],
    breaks: ["F1", "E6", "F4", "Q1"],
  },
  {
    id: "cancel-drops-returned-result",
    title: "a cancel drops the result of a call that has returned",
    edits: [
      inStep(
        "if (outcome !== undefined) await settle",
        "if (outcome !== undefined && !drive.lane.cancelRequested) await settle",
      ),
    ],
    breaks: ["D5", "F4", "Q1", "C7"],
  },
  {
    id: "cancel-aborts-finished-call",
    title: "a cancel gives an aborted result to a call whose result waits for an earlier one",
    edits: [inStep("if (!isFinished(call)) results", 'if (call.status !== "completed") results')],
    breaks: ["F4", "D5", "Q1"],
  },
  {
    id: "result-replaced-by-error",
    title: "a result is stored as an error",
    edits: [
      inStep(
        "resultMessage(call.source, outcome, now)]",
        "resultMessage(call.source, { ...outcome, isError: true }, now)]",
      ),
    ],
    breaks: ["D5", "Q1"],
  },
  {
    id: "results-in-order-of-return",
    title: "results become entries in the order in which the calls return",
    edits: [inResults("open === -1 ? calls : calls.slice(0, open)", "open === -1 ? calls : calls.slice(0)")],
    breaks: ["D5", "Q1"],
  },
  {
    id: "request-behind-first-result",
    title: "the operation goes on when the first result is in",
    edits: [
      inResults(
        'calls.some(({ status }) => status !== "completed")',
        'calls.every(({ status }) => status !== "completed")',
      ),
    ],
    breaks: ["D5", "Q1", "C7"],
  },
  {
    id: "open-call-made",
    title: "a call that its stream has begun and not ended is made",
    edits: [
      {
        file: "harness/reading/open-calls.ts",
        find: 'message.stopReason === "length") return message;',
        replace: "message.stopReason !== undefined) return message;",
      },
    ],
    breaks: ["D5", "Q5"],
  },
];
