/** The adapter of pi's published harness. */
import type { AgentHarnessOptions, Session, SettledAssistantMessage } from "@earendil-works/pi-agent-core";
import type { AssistantMessage, Models } from "@earendil-works/pi-ai";
import { type Adapter, type Incarnation, laneName, type Surroundings } from "./adapter.ts";
import { observeEvents } from "./pi-events.ts";
import { finalizeOperation } from "./pi-finalization.ts";
import { PiIncarnation } from "./pi-incarnation.ts";
import { settled } from "./pi-outcomes.ts";
import { loadPi, type Pi } from "./pi-package.ts";
import { probeTool } from "./pi-tool.ts";

export async function piAgentCore(): Promise<Adapter> {
  const { pi, version, time } = await loadPi();
  return {
    name: "pi-agent-core",
    version,
    boot: (surroundings) => {
      time.forgetGlobalTimers();
      return boot(pi, surroundings);
    },
    // The session stays open here, because closing it would close the checker's store.
    finalizeOffline: (surroundings) => settled(pi, () => finalizeOperation(pi, openSession(pi, surroundings))),
    install: time.installGlobalTime,
  };
}

async function boot(pi: Pi, surroundings: Surroundings): Promise<Incarnation> {
  const context = pi.BACKGROUND_CONTEXT;
  const session = openSession(pi, surroundings);
  const { harness, open } = await pi.AgentHarness.create(optionsOf(session, surroundings), context);
  harness.hooks.on("after_response", async ({ message }) => {
    const replaced = await surroundings.afterResponse(message);
    if (!isSettled(replaced)) throw new Error("The hook answered a message that has not ended");
    return { message: replaced };
  });
  observeEvents(harness.events, (event) => surroundings.deliver(event));
  const lane = await harness.lane(laneName, context);
  return new PiIncarnation(pi, session, harness, lane, open[0]?.operationId);
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
    tools: [probeTool(surroundings)],
  };
}

const isSettled = (message: AssistantMessage): message is SettledAssistantMessage => message.stopReason !== "pending";
