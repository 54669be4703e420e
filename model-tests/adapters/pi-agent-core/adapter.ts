/** The adapter of pi's published harness. */
import type { AgentHarnessOptions, Session, SettledAssistantMessage } from "@earendil-works/pi-agent-core";
import type { AssistantMessage, Models } from "@earendil-works/pi-ai";
import { type Adapter, type Incarnation, laneName, type Surroundings } from "../adapter.ts";
import { observeEvents, observer, registerRogues } from "./events.ts";
import { finalizeOperation } from "./finalization.ts";
import { PiIncarnation } from "./incarnation.ts";
import { settled } from "./outcomes.ts";
import { loadPi, type Pi } from "./package.ts";
import { piTools } from "./tool.ts";

/** @param module where another copy of the package begins; by default the installed one. */
export async function piAgentCore(module?: string): Promise<Adapter> {
  const { pi, version, time } = await loadPi(module);
  const bootLanes = (surroundings: Surroundings, lanes: readonly string[]): Promise<readonly Incarnation[]> => {
    time.forgetGlobalTimers();
    return boot(pi, surroundings, lanes);
  };
  return {
    name: "pi-agent-core",
    version,
    // A cancel that names another operation is refused too, but only at its turn on the session line.
    serves: [],
    boot: async (surroundings) => {
      const [only] = await bootLanes(surroundings, [laneName]);
      return only as Incarnation;
    },
    bootLanes,
    // The session stays open here, because closing it would close the checker's store.
    finalizeOffline: (surroundings) => settled(pi, () => finalizeOperation(pi, openSession(pi, surroundings))),
    install: time.installGlobalTime,
  };
}

async function boot(pi: Pi, surroundings: Surroundings, lanes: readonly string[]): Promise<readonly Incarnation[]> {
  const context = pi.BACKGROUND_CONTEXT;
  const session = openSession(pi, surroundings);
  const { harness, open } = await pi.AgentHarness.create(optionsOf(session, surroundings), context);
  harness.hooks.on("after_response", async ({ message }) => {
    const replaced = await surroundings.afterResponse(message);
    if (!isSettled(replaced)) throw new Error("The hook answered a message that has not ended");
    return { message: replaced };
  });
  const observe = observer();
  // The application's own listener comes last: nothing of what the others do may reach it (J4).
  registerRogues(harness.events, surroundings.rogues);
  observeEvents(harness.events, (event, lane) => surroundings.deliver(event, lane), observe);
  return Promise.all(
    lanes.map(async (name) => {
      const lane = await harness.lane(name, context);
      const operation = open.find((it) => it.lane === name);
      return new PiIncarnation(pi, session, harness, lane, observe, operation?.operationId);
    }),
  );
}

function openSession(pi: Pi, { storage, ids }: Surroundings): Session {
  const metadata = { id: "checker", createdAt: 0, storageVersion: 1 };
  return new pi.StorageBackedSession(metadata, storage, { idGenerator: ids });
}

function optionsOf(session: Session, surroundings: Surroundings): AgentHarnessOptions {
  const { maxAttempts, baseDelayMs } = surroundings.retry;
  return {
    session,
    // The harness asks for more only to compact the context, which is off here.
    models: surroundings.models as Models,
    model: surroundings.model,
    retry: { enabled: true, maxRetries: maxAttempts - 1, baseDelayMs },
    compaction: { enabled: false, reserveTokens: 0, keepRecentTokens: 0 },
    tools: piTools(surroundings),
    toolExecution: "parallel",
  };
}

const isSettled = (message: AssistantMessage): message is SettledAssistantMessage => message.stopReason !== "pending";
