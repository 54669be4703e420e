/** The adapter of this project's own implementation, over its public API alone. */

import type { CallOutcome } from "../../machines/index.ts";
import type { DurabilityError, HarnessEvent, OperationResultRecord, Session } from "../../src/index.ts";
import * as implementation from "../../src/index.ts";
import {
  type Adapter,
  finalizedCode,
  type Incarnation,
  laneName,
  type ObservedEvent,
  type Surroundings,
} from "./adapter.ts";

/** What the adapter needs of an implementation: a mutant of `src/` offers the same. */
export type Implementation = Pick<typeof implementation, "openHarness" | "Session">;

export const referenceAdapter: Adapter = referenceAdapterOf(implementation);

/** The adapter over another build of the same public API. */
export function referenceAdapterOf({ openHarness, Session }: Implementation): Adapter {
  const newSession = ({ storage, ids, clock }: Surroundings): Session => new Session(storage, { ids, clock });
  return {
    name: "reference",
    version: "0.1.0",
    boot: (surroundings) => boot(openHarness, newSession(surroundings), surroundings),
    finalizeOffline: async (surroundings) => {
      const session = newSession(surroundings);
      try {
        return await finalize(session, await openOperation(surroundings));
      } finally {
        await session.close();
      }
    },
  };
}

async function boot(
  openHarness: Implementation["openHarness"],
  session: Session,
  surroundings: Surroundings,
): Promise<Incarnation> {
  const { model } = surroundings;
  const harness = await openHarness({
    session,
    models: surroundings.models,
    model: { provider: model.provider, modelId: model.id },
    retry: surroundings.retry,
    hooks: {
      afterResponse: ({ message }) => surroundings.afterResponse(message),
      runTools: async ({ calls }) => {
        const texts = await surroundings.runTools(calls);
        return texts.map((text) => ({ content: [{ type: "text", text }] }));
      },
    },
    onEvent: (event) => {
      const observed = observedEvent(event);
      return observed === undefined ? undefined : surroundings.deliver(observed);
    },
  });
  const lane = await harness.lane(laneName);
  let operationId = await openOperation(surroundings);
  return {
    accept: (prompt) =>
      outcomeOf(
        lane.accept({ prompt }).then((accepted) => {
          operationId = accepted.operationId;
          return "ok";
        }),
      ),
    activate: ({ wait }) =>
      outcomeOf(
        lane.activate({ waitForRetry: wait }).then((outcome) => {
          if (outcome.kind === "settled") return outcomeOfResult(outcome.result);
          if (outcome.kind === "waiting") return "waiting";
          throw new Error("the operation is suspended on a deferred response");
        }),
      ),
    cancel: () => outcomeOf(lane.cancel().then(() => "ok")),
    finalize: () => finalize(session, operationId),
    snapshot: async () => {
      const { transcript, operation } = await lane.snapshot();
      return { open: operation !== null, transcript, streamingMessage: operation?.streamingMessage };
    },
    close: () => outcomeOf(harness.close().then(() => "ok")),
  };
}

const noOperation = "none";

async function openOperation({ storage }: Surroundings): Promise<string> {
  return (await storage.getValue(implementation.laneState(laneName)))?.value.currentOperationId ?? noOperation;
}

/** The authorised outside party: it may end the operation that it knows to be open. */
async function finalize(session: Session, operationId: string): Promise<CallOutcome> {
  return outcomeOf(
    session
      .finalize(laneName, operationId, {
        status: "failed",
        error: { code: finalizedCode, message: "ended by an outside party" },
      })
      .then(() => "ok"),
  );
}

const outcomeOfCode: Readonly<Record<string, CallOutcome>> = {
  closed: "closed",
  harness_fault: "fault",
  lane_busy: "refused",
  no_open_operation: "refused",
  operation_not_open: "refused",
};

async function outcomeOf(call: Promise<CallOutcome>): Promise<CallOutcome> {
  try {
    return await call;
  } catch (error) {
    const code = (error as Partial<DurabilityError>).code;
    const outcome = code === undefined ? undefined : outcomeOfCode[code];
    if (outcome === undefined) throw error;
    return outcome;
  }
}

const outcomeOfResult = (result: OperationResultRecord): CallOutcome =>
  result.error?.code === finalizedCode ? "finalized" : (result.status as CallOutcome);

function observedEvent(event: HarnessEvent): ObservedEvent | undefined {
  const recovery = "recovery" in event && event.recovery === true;
  switch (event.type) {
    case "message_start":
    case "message_update":
    case "operation_end":
    case "fault":
      return { name: event.type, recovery };
    case "usage":
      return { name: event.type, recovery };
    case "message_end":
      return { name: event.type, recovery, entryId: event.entryId };
    case "entry_added":
      return isResponse(event) ? { name: event.type, recovery, entryId: event.entry.id } : undefined;
    default:
      return undefined;
  }
}

const isResponse = (event: Extract<HarnessEvent, { type: "entry_added" }>): boolean =>
  event.entry.type === "message" && event.entry.message.role === "assistant";
