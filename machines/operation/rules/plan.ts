/** The progress of a plan of tool calls: marks, results, and what a crash leaves unknown (Q1). */
import { plannedTools, type ToolName, type ToolPlan, toolNames } from "../../vocabulary.ts";

/** A plan of which no call has been started. */
export const newPlan: ToolPlan = { send: "planned", look: "planned" };

/** The plan with one more start of a call. */
export const withMark = (plan: ToolPlan, tool: ToolName): ToolPlan => ({
  ...plan,
  [tool]: plan[tool] === "planned" ? "marked" : "marked again",
});

/** The plan with these results; `null` with the last one. */
export function withResults(plan: ToolPlan, tools: readonly ToolName[]): ToolPlan | null {
  const reached = { ...plan, ...Object.fromEntries(tools.map((tool) => [tool, "done"])) };
  return unfinished(reached).length === 0 ? null : reached;
}

/** The calls that have no result. */
export const unfinished = (plan: ToolPlan): readonly ToolName[] => toolNames.filter((tool) => plan[tool] !== "done");

/** The calls whose outcome a crash has left unknown and that may not be made again: undeclared, or made often enough. */
export const interrupted = (plan: ToolPlan): readonly ToolName[] =>
  toolNames.filter(
    (tool) => plan[tool] === "marked again" || (plan[tool] === "marked" && !plannedTools[tool].repeatable),
  );
