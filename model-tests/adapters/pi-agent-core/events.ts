/** pi's events as the specification names them: those of assistant responses, of the operation's end and faults. */
import type { Events, HarnessEvent } from "@earendil-works/pi-agent-core";
import type { AssistantMessage, AssistantMessageEvent } from "@earendil-works/pi-ai";
import type { Entry } from "../../../src/index.ts";
import type { ObservedEvent, RogueListeners } from "../adapter.ts";

/** `undefined` for an event that the specification does not speak of. */
export type Observe = (event: HarnessEvent) => ObservedEvent | undefined;

/** The translation for the listeners of one process. */
export function observer(): Observe {
  const responses = new Set<string>();
  return (event) => {
    const recovery = event.recovery === true;
    switch (event.type) {
      case "message_start": {
        const { message } = event;
        return isAssistant(message) ? { name: event.type, recovery, told: { message }, given: event } : undefined;
      }
      case "message_update":
        return { name: event.type, recovery, told: { update: withoutPartial(event.event) }, given: event };
      case "message_end": {
        const { message, entryId } = event;
        // Prompts and tool results have message events too; they are none of a response.
        if (!isAssistant(message)) return undefined;
        const told = { message };
        return { name: event.type, recovery, told, given: event, ...(entryId !== undefined && { entryId }) };
      }
      case "entry_added": {
        const { entry } = event;
        if (entry.type !== "message" || !isAssistant(entry.message)) return undefined;
        responses.add(entry.id);
        return { name: event.type, recovery, told: { entry: entry as Entry }, given: event, entryId: entry.id };
      }
      case "usage": {
        const { entryId } = event.row;
        return entryId !== undefined && responses.has(entryId)
          ? { name: event.type, recovery: false, told: { row: event.row }, given: event }
          : undefined;
      }
      case "run_end":
        return {
          name: "operation_end",
          recovery,
          operationId: event.runId,
          told: { result: endOf(event) },
          given: event,
        };
      case "fault":
        return { name: event.type, recovery: false, given: event };
      default:
        return undefined;
    }
  };
}

const observed = [
  "message_start",
  "message_update",
  "message_end",
  "entry_added",
  "usage",
  "run_end",
  "fault",
] as const satisfies readonly HarnessEvent["type"][];

type Deliver = (event: ObservedEvent, lane: string | undefined) => Promise<void>;

/** pi awaits each listener in turn, so returning the delivery makes its provider loop wait for it (C1). */
export function observeEvents(events: Events, deliver: Deliver, observe: Observe = observer()): void {
  for (const type of observed) {
    events.on(type, (event) => {
      const seen = observe(event);
      return seen === undefined ? undefined : deliver(seen, event.lane);
    });
  }
}

/** Listeners that misbehave, for the events that are observed (J4). */
export function registerRogues(events: Events, rogues: RogueListeners): void {
  for (const type of observed) {
    events.on(type, rogues.throwing);
    events.on(type, rogues.mutating);
  }
  events.on("handler_error", ({ kind }) => (kind === "event" ? rogues.reported() : undefined));
}

type RunEnd = Extract<HarnessEvent, { type: "run_end" }>;

/** What the event has of the record of the end. */
const endOf = ({ status, error, fromTipId, tipId, endedAt }: RunEnd): object => ({
  status,
  ...(error !== undefined && { error }),
  fromTipId,
  tipId,
  endedAt,
});

function withoutPartial(event: AssistantMessageEvent): object {
  const { partial: _partial, ...update } = event as AssistantMessageEvent & { partial?: unknown };
  return update;
}

const isAssistant = (message: { readonly role: string }): message is AssistantMessage => message.role === "assistant";
