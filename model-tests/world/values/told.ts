/** What an event must say. */
import type { AssistantMessage, AssistantMessageEvent, Message } from "@earendil-works/pi-ai";
import type { Write } from "../../../src/index.ts";
import type { ObservedEvent } from "../../adapters/adapter.ts";
import type { Interpreter, ReplayedEntry } from "../interpreter.ts";
import { marked, type RequestScript } from "../script.ts";
import { cite, type Expectation, exactly, free, judge, oneOf, optional, rule, text } from "./expectation.ts";

/** The stream of a process, as far as it has come. */
export interface LiveStream {
  readonly script: RequestScript;
  /** The last event that the harness was given. */
  readonly given: AssistantMessageEvent | undefined;
  /** Whether a hook has answered for its response. */
  readonly hooked: boolean;
}

/** A message as a harness may hand it on: its usage as it came, or as it can be read, and with reports of its own (Q3). */
function liveMessage(message: AssistantMessage, script: RequestScript): Expectation {
  const { usage, ...rest } = message;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, exactly(value)])),
    // What ended amid a call is an error, whatever the provider calls it (Q5).
    ...(script.endedAmidCall && {
      stopReason: oneOf(rest.stopReason, "error"),
      errorMessage: optional(text("what is wrong")),
    }),
    usage: oneOf(exactly(usage), exactly(script.asStored(message).usage)),
    diagnostics: free("reports of the harness"),
  };
}

/** @returns what the event must say; `undefined` where nothing is known to compare it with. */
export function announcedExpected(
  event: ObservedEvent,
  live: LiveStream | undefined,
  durable: Interpreter,
): Expectation | undefined {
  switch (event.name) {
    case "message_start":
      return liveExpectedOf(event, () => live && liveMessage(live.script.partial, live.script));
    case "message_update":
      return live?.given === undefined ? undefined : { update: updateExpected(live.given) };
    case "message_end":
      return liveExpectedOf(event, () => live && endExpected(live));
    case "entry_added":
      return { entry: cite("J3", entryExpected(durable.entries.findLast(({ id }) => id === event.entryId))) };
    case "usage":
      return { row: cite("D1", rowExpected(durable)) };
    case "operation_end":
      return { result: cite("O2", resultExpected(durable.value("pi.result", event.operationId ?? ""))) };
    case "fault":
      return undefined;
  }
}

/** Of a live response only: what a recovery tells may be stored later (I4). */
function liveExpectedOf({ recovery }: ObservedEvent, live: () => Expectation | undefined): Expectation | undefined {
  const expected = recovery ? undefined : live();
  return expected === undefined ? undefined : { message: expected };
}

/** What is stored, or about to be, under the id that a recovery names; under any, where it names none. */
export function isStored(
  { entryId, told }: ObservedEvent,
  durable: Interpreter,
  atStore: readonly (readonly Write[])[],
): boolean {
  const last = durable.entries.findLast(({ message }) => (message.value as Message).role === "assistant");
  const stored = [...(last === undefined ? [] : [{ id: last.id, message: last.message.value }]), ...storing(atStore)];
  return stored
    .filter(({ id }) => entryId === undefined || id === entryId)
    .some(({ message }) => judge(recovered(message), told?.message, { requirement: "I4", path: "" }) === undefined);
}

/** A recovery may tell its message before it is classified: as an error, where a cancel makes it aborted (D5). */
export function recovered(stored: unknown): Expectation {
  const { stopReason, ...rest } = stored as AssistantMessage;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, exactly(value)])),
    stopReason: oneOf(stopReason, "error"),
  };
}

function storing(atStore: readonly (readonly Write[])[]): { readonly id: string; readonly message: unknown }[] {
  return atStore
    .flat()
    .flatMap((write) =>
      write.kind === "entry" && "message" in write.entry ? [{ id: write.entry.id, message: write.entry.message }] : [],
    );
}

/** What a response ends with, before any hook: the provider's last message, or what it showed until it broke off (D3, Q6). */
export function endedWith(script: RequestScript): Expectation {
  const { final, defective } = script;
  return final === undefined || defective ? brokenOff(script, []) : liveMessage(final, script);
}

/** The end of a response tells the same, or what a hook has made of it (D3). */
function endExpected({ script, hooked: isHooked }: LiveStream): Expectation {
  const { final, defective } = script;
  if (!isHooked) return endedWith(script);
  const mark = marked(script.partial).content.slice(-1);
  return final === undefined || defective ? brokenOff(script, mark) : liveMessage(marked(final), script);
}

/** An error with what the message showed. Before its start nothing was shown. */
function brokenOff({ partial }: RequestScript, added: AssistantMessage["content"]): Expectation {
  return {
    role: "assistant",
    api: partial.api,
    provider: partial.provider,
    model: partial.model,
    responseId: optional(partial.responseId ?? "none"),
    content: oneOf(exactly([...partial.content, ...added]), exactly(added)),
    usage: free("it is compared with the usage row"),
    stopReason: oneOf("error", "aborted"),
    errorMessage: text("what is wrong"),
    timestamp: rule("a time", (time) => typeof time === "number"),
    diagnostics: free("reports of the harness"),
  };
}

function updateExpected(given: NonNullable<LiveStream["given"]>): Expectation {
  const { partial: _partial, ...update } = given as { partial?: unknown } & Record<string, unknown>;
  return exactly(update);
}

function entryExpected(entry: ReplayedEntry | undefined): Expectation {
  if (entry === undefined) return rule("an entry that is durable", () => false);
  const { id, parentId, message, seq, timestampMs } = entry;
  return {
    id,
    parentId,
    type: "message",
    message: exactly(message.value),
    seq: cite("A3", seq),
    timestamp: cite("A3", timestampMs),
  };
}

function rowExpected({ usage }: Interpreter): Expectation {
  const last = usage.at(-1);
  if (last === undefined) return rule("a row that is durable", () => false);
  return {
    id: last.id,
    ...(last.entryId !== undefined && { entryId: last.entryId }),
    usage: exactly(last.usage.value),
    adjustment: false,
    details: optional(free("the harness's own")),
    seq: cite("A3", last.seq),
  };
}

/** As much of the record as the event has. */
export function resultExpected(result: unknown): Expectation {
  if (typeof result !== "object" || result === null) return rule("a result that is durable", () => false);
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, optional(exactly(value))]));
}
