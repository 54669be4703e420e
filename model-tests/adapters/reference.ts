/** The adapter of this project's own implementation, over its public API alone. */

import type { CallOutcome } from "../../machines/index.ts";
import type {
  ActivationOutcome,
  DurabilityError,
  Harness,
  HarnessEvent,
  LaneSnapshot,
  OperationResultRecord,
  Session,
} from "../../src/index.ts";
import * as implementation from "../../src/index.ts";
import {
  type Adapter,
  type Answer,
  finalizedCode,
  type Incarnation,
  laneName,
  type ObservedEvent,
  type ObservedSnapshot,
  type Surroundings,
} from "./adapter.ts";

/** What the adapter needs of an implementation: a mutant of `src/` offers the same. */
export type Implementation = Pick<typeof implementation, "openHarness" | "Session">;

/** The adapter of this project's own harness. */
export const referenceAdapter: Adapter = referenceAdapterOf(implementation);

/** The adapter over another build of the same public API. */
export function referenceAdapterOf({ openHarness, Session }: Implementation): Adapter {
  const newSession = ({ storage, ids, clock }: Surroundings): Session => new Session(storage, { ids, clock });
  return {
    name: "reference",
    version: "0.1.0",
    serves: ["Q6", "Q7"],
    boot: async (surroundings) => {
      const session = newSession(surroundings);
      return laneOf(await boot(openHarness, session, surroundings), session, laneName, surroundings);
    },
    bootLanes: async (surroundings, lanes) => {
      const session = newSession(surroundings);
      const harness = await boot(openHarness, session, surroundings);
      return Promise.all(lanes.map((name) => laneOf(harness, session, name, surroundings)));
    },
    finalizeOffline: async (surroundings) => {
      const session = newSession(surroundings);
      try {
        return await finalize(session, laneName, await openOperation(surroundings, laneName));
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
): Promise<Harness> {
  const { model, rogues } = surroundings;
  const harness = await openHarness({
    session,
    models: surroundings.models,
    model: { provider: model.provider, modelId: model.id },
    retryPolicy: surroundings.retry,
    hooks: {
      afterResponse: ({ message, signal }) => surroundings.afterResponse(message, signal),
      runTool: async (call) => {
        const { toolCallId, name } = call;
        const text = await surroundings.runTool({ toolCallId, name, arguments: call.arguments }, call.signal);
        return { content: [{ type: "text", text }] };
      },
    },
    toolPolicy: {
      repeatable: surroundings.tools.filter(({ repeatable }) => repeatable).map(({ name }) => name),
      maxRuns: surroundings.maxToolRuns,
    },
    // The application's own listener comes last: nothing of what the others do may reach it (J4).
    onEvent: (event) => (isReportOfListener(event) ? rogues.reported() : rogues.throwing(event)),
  });
  harness.on(rogues.mutating);
  harness.on(observedBy((event, lane) => surroundings.deliver(event, lane)));
  return harness;
}

async function laneOf(
  harness: Harness,
  session: Session,
  name: string,
  surroundings: Surroundings,
): Promise<Incarnation> {
  const lane = await harness.lane(name);
  let operationId = await openOperation(surroundings, name);
  return {
    accept: (prompt) =>
      outcomeOf(
        lane.accept({ prompt }).then((accepted) => {
          operationId = accepted.operationId;
          return { outcome: "ok", operationId };
        }),
      ),
    activate: ({ wait, permit }) =>
      outcomeOf(
        lane
          // To wait is the default.
          .activate({ ...(!wait && { waitForRetry: false }), permit })
          .then(answerOf),
      ),
    cancel: (named) => outcomeOf(lane.cancel(named === undefined ? {} : { operationId: named }).then(() => "ok")),
    finalize: () => finalize(session, name, operationId),
    snapshot: async () => observedSnapshot(await lane.snapshot()),
    watch: async (listener) => {
      const watch = await lane.watch();
      watch.start(observedBy(listener));
      return observedSnapshot(watch.snapshot);
    },
    close: () => outcomeOf(harness.close().then(() => "ok")),
  };
}

const noOperation = "none";

async function openOperation({ storage }: Surroundings, lane: string): Promise<string> {
  return (await storage.getValue(implementation.laneState(lane)))?.value.currentOperationId ?? noOperation;
}

/** The authorised outside party: it may end the operation that it knows to be open. */
async function finalize(session: Session, lane: string, operationId: string): Promise<CallOutcome> {
  return outcomeOf(
    session
      .finalize(lane, operationId, {
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

async function outcomeOf<A extends CallOutcome | Answer>(call: Promise<A>): Promise<A | CallOutcome> {
  try {
    return await call;
  } catch (error) {
    const code = (error as Partial<DurabilityError>).code;
    const outcome = code === undefined ? undefined : outcomeOfCode[code];
    if (outcome === undefined) throw error;
    return outcome;
  }
}

function answerOf(outcome: ActivationOutcome): Answer {
  switch (outcome.kind) {
    case "settled":
      return { outcome: outcomeOfResult(outcome.result), result: outcome.result };
    case "waiting":
      return { outcome: "waiting", notBefore: outcome.notBefore };
    case "suspended":
      return { outcome: "suspended" };
  }
}

const outcomeOfResult = (result: OperationResultRecord): CallOutcome =>
  result.error?.code === finalizedCode ? "finalized" : (result.status as CallOutcome);

const observedSnapshot = ({ transcript, operation }: LaneSnapshot): ObservedSnapshot => ({
  open: operation !== null,
  operationId: operation?.id,
  transcript,
  streamingMessage: operation?.streamingMessage,
});

const observedBy =
  (listener: (event: ObservedEvent, lane: string | undefined) => Promise<void> | undefined) =>
  (event: HarnessEvent): Promise<void> | undefined => {
    const observed = observedEvent(event);
    return observed === undefined ? undefined : listener(observed, "lane" in event ? event.lane : undefined);
  };

function observedEvent(event: HarnessEvent): ObservedEvent | undefined {
  const recovery = "recovery" in event && event.recovery === true;
  switch (event.type) {
    case "message_start":
      return { name: event.type, recovery, told: { message: event.message }, given: event };
    case "message_update":
      return { name: event.type, recovery, told: { update: event.event }, given: event };
    case "fault":
      return { name: event.type, recovery, given: event };
    case "usage":
      return { name: event.type, recovery, told: { row: event.row }, given: event };
    case "operation_end":
      return {
        name: event.type,
        recovery,
        operationId: event.operationId,
        told: { result: event.result },
        given: event,
      };
    case "message_end":
      return { name: event.type, recovery, entryId: event.entryId, told: { message: event.message }, given: event };
    case "entry_added":
      if (!isResponse(event)) return undefined;
      return { name: event.type, recovery, entryId: event.entry.id, told: { entry: event.entry }, given: event };
    default:
      return undefined;
  }
}

const isReportOfListener = (event: HarnessEvent): boolean =>
  event.type === "listener_error" && event.kind === "listener";

const isResponse = (event: Extract<HarnessEvent, { type: "entry_added" }>): boolean =>
  event.entry.type === "message" && event.entry.message.role === "assistant";
