/** Hand-made facts for the tests of invariants and race rows: one operation `op`, its response `r1`, its list `op:r1`. */
import type { HistoryStep, LandingFact } from "../history.ts";
import type { EventType, OperationEvent } from "../vocabulary.ts";

const nothingDurable: HistoryStep["durable"] = { at: "none", control: "running", poll: 0, listed: 0, plan: null };

/** A step in which nothing was seen but what `seen` adds. */
export function step(type: Exclude<EventType, "stream.end" | "stream.defect">, seen: Partial<HistoryStep> = {}) {
  const event = (type === "close" ? { type, kept: "overlapping" } : { type }) as OperationEvent;
  return { ...quiet, event, ...seen } satisfies HistoryStep;
}

const quiet: Omit<HistoryStep, "event"> = {
  landings: [],
  events: [],
  audience: { watched: [], held: false, throws: 0, reports: 0, altered: [] },
  calls: [],
  requests: [],
  polls: [],
  remoteCancels: [],
  provider: [],
  snapshots: [],
  hooks: 0,
  tools: [],
  durable: nothingDurable,
  pendingResponse: undefined,
  atStore: [],
  openCalls: [],
  resting: false,
};

/** A durable state at this position. */
export const durableAt = (at: HistoryStep["durable"]["at"], listed = 0): HistoryStep["durable"] => ({
  ...nothingDurable,
  at,
  listed,
});

/** A transaction that landed with no other content than `more` says. */
export const landing = (commit: LandingFact["commit"], more: Partial<LandingFact> = {}): LandingFact => ({
  commit,
  appended: [],
  deleted: [],
  responses: [],
  usage: [],
  decides: false,
  plansTools: false,
  tools: { planned: [], marked: [], finished: [] },
  ends: undefined,
  operationId: "op",
  responseEntryId: "r1",
  listsLeft: [],
  ...more,
});

/** A step in which these transactions land. */
export const lands = (...landings: LandingFact[]): HistoryStep => step("land", { landings });

/** The start frame of a stream. */
export const startFrame = { type: "start", partial: { role: "assistant", content: [] } };
/** The start of a text block. */
export const textStart = { type: "text_start", contentIndex: 0, content: { type: "text", text: "" } };
/** The first delta of a text block. */
export const textDelta = { type: "text_delta", contentIndex: 0, delta: "ha" };

/** The end of a tool call with these arguments. */
export const toolCallEnd = (given: unknown) => ({
  type: "toolcall_end",
  contentIndex: 0,
  id: "c",
  name: "probe",
  arguments: given,
});

/** A transaction that appends one frame. */
export const appends = (element: unknown, list = "op:r1"): LandingFact =>
  landing("frame", { appended: [{ list, element }], listsLeft: [list] });

/** A settlement or recovery as section D wants it: response, usage, decision, and the list gone. */
export const settlement = (commit: "settle" | "recover", stop: string, more: Partial<LandingFact> = {}): LandingFact =>
  landing(commit, {
    responses: [{ id: "r1", stop, toolCalls: 0 }],
    usage: [{ id: "u1", entryId: "r1" }],
    decides: true,
    deleted: ["op:r1"],
    ...more,
  });

/** A transaction that ends the operation. */
export const terminal = (commit: "terminal" | "finalize" = "terminal", more: Partial<LandingFact> = {}): LandingFact =>
  landing(commit, { ends: "op", decides: true, ...more });

/** A request, with the stop reasons of its context. */
export const requests = (...contextStops: string[]): HistoryStep =>
  step("reply", { requests: [{ response: "r2", contextStops, results: [] }] });

/** A new operation is accepted: what comes after it belongs to that one. */
export const accepts = (): HistoryStep => step("accept", { atStore: ["accept"] });

/** A process opens the session and finds this. */
export const reopened = (at: HistoryStep["durable"]["at"], listed = 0): HistoryStep =>
  step("reopen", { durable: durableAt(at, listed) });

/** An activation, after which these commits are at the store. */
export const activated = (...atStore: HistoryStep["atStore"]): HistoryStep => step("activate", { atStore });

/** The application is told of `r1`. */
export const announced = (name: HistoryStep["events"][number]["name"], recovery: boolean): HistoryStep =>
  step("reply", { events: [{ name, recovery, entryId: "r1" }] });
