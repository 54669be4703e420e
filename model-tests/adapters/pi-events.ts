/** pi's events as the specification names them: those of assistant responses, of the operation's end and faults. */
import type { Events } from "@earendil-works/pi-agent-core";
import type { ObservedEvent } from "./adapter.ts";

type Deliver = (event: ObservedEvent) => Promise<void>;

/** pi awaits each listener in turn, so returning the delivery makes its provider loop wait for it (C1). */
export function observeEvents(events: Events, deliver: Deliver): void {
  observeMessages(events, deliver);
  observeEntries(events, deliver);
  events.on("run_end", (event) => deliver({ name: "operation_end", recovery: event.recovery === true }));
  events.on("fault", () => deliver({ name: "fault", recovery: false }));
}

/** Prompts and tool results have message events too; they are none of a response. */
function observeMessages(events: Events, deliver: Deliver): void {
  for (const name of ["message_start", "message_update"] as const) {
    events.on(name, (event) =>
      event.message.role === "assistant" ? deliver({ name, recovery: event.recovery === true }) : undefined,
    );
  }
  events.on("message_end", ({ message, entryId, recovery }) =>
    message.role === "assistant"
      ? deliver({
          name: "message_end",
          recovery: recovery === true,
          ...(entryId === undefined ? {} : { entryId }),
        })
      : undefined,
  );
}

function observeEntries(events: Events, deliver: Deliver): void {
  const responses = new Set<string>();
  events.on("entry_added", ({ entry, recovery }) => {
    if (entry.type !== "message" || entry.message.role !== "assistant") return undefined;
    responses.add(entry.id);
    return deliver({ name: "entry_added", recovery: recovery === true, entryId: entry.id });
  });
  events.on("usage", ({ row }) =>
    row.entryId !== undefined && responses.has(row.entryId) ? deliver({ name: "usage", recovery: false }) : undefined,
  );
}
