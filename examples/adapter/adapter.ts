/** Lets the checker drive the small harness: `durability verify --sut examples/adapter/adapter.ts`. */
import type { CallOutcome } from "assistant-durability/machines";
import type { Adapter, KnownDivergence, ObservedEvent, ObservedSnapshot } from "assistant-durability/model-tests";
import { type SmallEvent, SmallHarness } from "./small-harness.ts";

const adapter: Adapter = {
  name: "small-harness",
  version: "1.0.0",
  boot: async ({ storage, models, model, ids, clock, afterResponse, deliver, rogues }) => {
    const watchers = new Set<(event: ObservedEvent) => unknown>();
    const harness = new SmallHarness({
      storage,
      models,
      model,
      newId: () => ids.next(),
      now: () => clock.now(),
      afterResponse,
      onEvent: (event) => {
        const report = async () => rogues.reported();
        void isolated(() => rogues.throwing({ ...event }), report);
        void isolated(() => rogues.mutating({ ...event }), report);
        for (const watcher of watchers) watcher(observed(event));
        return deliver(observed(event));
      },
    });
    await harness.open();
    const snapshot = async (): Promise<ObservedSnapshot> => {
      const { operation, transcript, streaming } = await harness.snapshot();
      return { open: operation !== undefined, operationId: operation, transcript, streamingMessage: streaming };
    };
    return {
      accept: (prompt) => outcome(harness.accept(prompt), "ok"),
      activate: () => outcome(harness.run(), "completed"),
      cancel: async () => "refused",
      finalize: async () => "refused",
      snapshot,
      watch: async (listener) => {
        const told = await snapshot();
        watchers.add(listener);
        return told;
      },
      close: () => outcome(harness.close(), "ok"),
    };
  },
  finalizeOffline: async () => "refused",
};
export default adapter;

/** What is understood and may stay for now: the run reports it, and does not fail because of it. */
export const knownDivergences: readonly KnownDivergence[] = [
  {
    id: "no-cancel",
    requirement: "F1",
    summary: "The harness has no call for cancel.",
    why: "A user must be able to stop an answer.",
    matches: [
      { requirement: "F1", action: "cancel", field: "promises settled", expected: "none", actual: "cancel: refused" },
      {
        requirement: /./,
        action: "cancel",
        field: "commits at the store",
        expected: /cancel/,
        actual: /^(?!.*cancel)/,
      },
    ],
    schedule: ["accept", "land", "reply", "activate", "cancel"],
  },
];

const observed = (event: SmallEvent): ObservedEvent => ({
  name: event.type,
  recovery: false,
  given: event,
  ...("entryId" in event && { entryId: event.entryId }),
  ...("operationId" in event && { operationId: event.operationId }),
});

/** A listener that throws disturbs nobody: the throw is reported, and a throw at the report is dropped. */
async function isolated(listener: () => unknown, report: () => Promise<void>): Promise<void> {
  try {
    await listener();
  } catch {
    await report().catch(() => {});
  }
}

const outcome = (call: Promise<unknown>, success: CallOutcome): Promise<CallOutcome> =>
  call.then(
    () => success,
    () => "refused",
  );
