/** What the rows about tool calls require (Q1, F4). */
import { type ToolName, toolNames } from "../vocabulary.ts";
import { ofOne, prefixRestores, type RaceRun, untilReopen } from "./results.ts";

const finishedIn = (steps: RaceRun["steps"]) =>
  steps.flatMap((step) => step.landings).flatMap(({ tools }) => tools.finished);

/** No call gets a second result. */
const finishedOnce = ({ steps }: RaceRun): string | undefined => {
  const calls = finishedIn(steps).map(({ call }) => call);
  return new Set(calls).size === calls.length ? undefined : "a call got a second result";
};

/** No call that has a result is started again. */
const finishedStays = ({ steps }: RaceRun): string | undefined => {
  const finished = new Set<string>();
  for (const step of steps) {
    if (step.tools.some(({ call }) => finished.has(call))) return "a call was started although it had its result";
    for (const { call } of finishedIn([step])) finished.add(call);
  }
  return undefined;
};

/** After a cancel no call starts, and when the operation ends every call that had no result has one (F4). */
export const unfinishedAborted = ofOne((run) => {
  if (untilReopen(run).some(({ tools }) => tools.length > 0)) return "a call was started after the cancel";
  const end = run.steps.findIndex((step) => step.landings.some(({ commit }) => commit === "terminal"));
  const plan = run.before?.durable.plan;
  if (end === -1 || plan === null || plan === undefined || plan === "refuse") return finishedOnce(run);
  const finished = finishedIn(run.steps.slice(0, end + 1)).map(({ tool }) => tool);
  const missing = toolNames.find((tool) => plan[tool] !== "done" && !finished.includes(tool));
  return missing === undefined ? finishedOnce(run) : `the operation ended without a result of ${missing}`;
});

/** The result of the call that returned first is not replaced by an error. */
export const resultStands = ofOne((run) => {
  const event = run.steps[0]?.event;
  const tool: ToolName | undefined = event?.type === "tool.return" ? event.tool : undefined;
  const result = finishedIn(untilReopen(run)).find((other) => other.tool === tool);
  return result?.failed === true ? "the call that had returned got an error" : finishedOnce(run);
});

/** A reopen finds exactly the results that had landed, and none of their calls is made again (Q1). */
export const resultsRestore = ofOne((run) => prefixRestores(run) ?? finishedOnce(run) ?? finishedStays(run));
