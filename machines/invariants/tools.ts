/** Tool calls, one by one (section Q), and the results of a plan (section D). */
import type { History } from "../history.ts";
import { maxToolRuns } from "../vocabulary.ts";
import { accepts, each, found, type Invariant } from "./judging.ts";

/** The invariants about tool calls. */
export const tools: readonly Invariant[] = [
  {
    id: "Q1",
    title: "a tool call starts only behind a durable mark of its own, and again only if its tool is safe to repeat",
    judge: (history) => each(startsOf(history), whatIsWrong),
  },
  {
    id: "D5",
    title: "each call of a plan has one result in the next request",
    judge: (history) => {
      let planned: readonly string[] = [];
      const behindPlans = found(history, (step) => {
        if (accepts(step)) planned = [];
        for (const { tools } of step.landings) planned = [...planned, ...tools.planned];
        return planned.length === 0 ? [] : step.requests.map(({ results }) => ({ results, planned }));
      });
      return each(behindPlans, ({ results, planned }) => {
        const wrong = planned.find((call) => results.filter((other) => other === call).length !== 1);
        return wrong === undefined ? undefined : `a request has not exactly one result of ${wrong}`;
      });
    },
  },
];

/** One start of a call, and what had become of the call before. */
interface Start {
  readonly call: string;
  readonly repeatable: boolean;
  readonly starts: number;
  readonly marks: number;
  readonly finished: boolean;
}

function startsOf(history: History) {
  const starts = new Map<string, number>();
  const marks = new Map<string, number>();
  const finished = new Set<string>();
  return found(history, (step): readonly Start[] => {
    for (const landing of step.landings) {
      for (const call of landing.tools.marked) marks.set(call, (marks.get(call) ?? 0) + 1);
      for (const { call } of landing.tools.finished) finished.add(call);
    }
    return step.tools.map(({ call, repeatable }) => {
      starts.set(call, (starts.get(call) ?? 0) + 1);
      return {
        call,
        repeatable,
        starts: starts.get(call) ?? 0,
        marks: marks.get(call) ?? 0,
        finished: finished.has(call),
      };
    });
  });
}

function whatIsWrong({ call, repeatable, starts, marks, finished }: Start): string | undefined {
  if (finished) return `${call} was started although it had its result`;
  if (starts > 1 && !repeatable) return `${call} was started again although its tool is not safe to repeat`;
  if (starts > marks) return `${call} was started without a mark of its own`;
  return starts > maxToolRuns ? `${call} was started ${starts} times` : undefined;
}
