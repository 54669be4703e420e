/** How a tool plan goes on when it is driven, and when a mark, a result or a cancel is replied (Q1, F4). */
import { type Effect, type ToolEnd, type ToolName, type ToolPlan, toolNames } from "../../vocabulary.ts";
import { type Context, finished, onLine, push, settles } from "../rules/context.ts";
import { interrupted, unfinished } from "../rules/plan.ts";
import {
  at,
  cancelled,
  cancelWaits,
  finalizing,
  not,
  replies,
  shift,
  shiftAndEnqueue,
  show,
  uncancelled,
  update,
  when,
} from "../rules/words.ts";

/** The plan, when its calls may run. */
const planOf = ({ durable: { plan } }: Context): ToolPlan | undefined =>
  plan === null || plan === "refuse" ? undefined : plan;

/** The response was cut off: its calls are planned and none is executed (D5). */
export const refuses = (c: Context): boolean => c.durable.plan === "refuse";

/** The calls that have no result. Of a response that was cut off none has. */
const open = (c: Context): readonly ToolName[] => {
  const plan = planOf(c);
  return plan === undefined ? toolNames : unfinished(plan);
};
/** The calls of unknown outcome that get an error result. */
const unknown = (c: Context): readonly ToolName[] => {
  const plan = planOf(c);
  return plan === undefined ? [] : interrupted(plan);
};

const results = (tools: readonly ToolName[], as: ToolEnd): readonly Effect[] =>
  tools.length === 0 ? [] : [{ kind: "tool_results", tools, as }];
/** Each call of a response that was cut off gets an error as its result. */
export const refusedResults = (c: Context): readonly Effect[] => results(open(c), "refused");
/** Each call without a result gets an aborted one (F4). */
export const abortedResults = (c: Context): readonly Effect[] => results(open(c), "aborted");
/** Each call of unknown outcome that may not be made again gets an error that says so. */
export const interruptedResults = (c: Context): readonly Effect[] => results(unknown(c), "interrupted");

/** Every call has a result: what comes next depends on the operation alone. */
export const allDone = (c: Context): Pick<Context, "durable"> => ({ durable: finished(c.durable, open(c)) });
/** The calls of unknown outcome have their results. */
export const withoutUnknown = (c: Context): Context => ({ ...c, durable: finished(c.durable, unknown(c)) });

/** The call to be marked next: the first one without a result that neither runs nor stands on the line. */
const nextToMark = (c: Context): ToolName | undefined =>
  open(c).find((tool) => !c.running.includes(tool) && !c.line.some((item) => item.tool === tool));

/** The drive hands the next mark to the line, when there is a call to mark. */
export function marksNext(c: Context): Pick<Context, "line"> {
  const tool = nextToMark(c);
  return { line: tool === undefined ? c.line : push(c, "mark", tool) };
}

/** The call of the head of the line. */
const callOf = ({ line }: Context): ToolName => line[0]?.tool as ToolName;

/** The mark is durable: the call starts, unless a cancel was called (F1), and the next one is marked. */
const markReplies = [
  {
    guard: when(replies("mark"), uncancelled),
    actions: [
      show((c) => [{ kind: "tools", tool: callOf(c) }]),
      update((c) => {
        const started = { ...c, ...shift(c), running: [...c.running, callOf(c)] };
        return { ...marksNext(started), running: started.running, parked: "tools" };
      }),
    ],
  },
  { guard: when(replies("mark")), actions: update(shift) },
] as const;

/** Whether results of calls that had returned stand behind the head of the line: aborted ones come after them. */
const resultsBehind = (c: Context): boolean => onLine({ ...c, ...shift(c) }, "result");

/** What is left of the plan is aborted, and the operation ends (F4). */
const aborts = (shown: readonly Effect[], ...guards: ((c: Context) => boolean)[]) => ({
  target: "#operation.up.cancelled.committing",
  guard: when(...guards, not(resultsBehind)),
  actions: [
    show((c) => [...shown, ...abortedResults(c)]),
    update((c) => ({ ...allDone(c), ...shiftAndEnqueue("terminal")(c), running: [], cancel: "replied" })),
  ],
});

const resultReplies = [
  {
    target: "#operation.up.effect_pending",
    guard: when(replies("result"), at("ready"), uncancelled),
    actions: update((c) => ({ ...shiftAndEnqueue("intent")(c), parked: null })),
  },
  {
    target: "#operation.up.ready.driven",
    guard: when(replies("result"), at("ready"), cancelWaits),
    actions: update((c) => ({ ...shift(c), parked: null })),
  },
  {
    target: "#operation.up.cancelled.committing",
    guard: when(replies("result"), at("checkpoint")),
    actions: update(shiftAndEnqueue("terminal")),
  },
  aborts([], replies("result"), cancelled),
  { guard: when(replies("result")), actions: update(shift) },
] as const;

const told = settles("cancel", "ok");

const cancelReplies = [
  aborts([told], replies("cancel"), not(finalizing)),
  {
    guard: when(replies("cancel")),
    actions: [show(() => [told]), update((c) => ({ ...shift(c), running: [], cancel: "replied" }))],
  },
] as const;

/** What the replies of a driven plan lead to. */
export const planReplies = [...markReplies, ...resultReplies, ...cancelReplies];

/** A call has returned: its result goes to the line. One that returns before the reply of a cancel is finished (F4). */
export const returns = (c: Context, tool: ToolName): Partial<Context> => {
  const running = c.running.filter((other) => other !== tool);
  return { line: push(c, "result", tool), running, parked: running.length > 0 ? "tools" : null };
};
