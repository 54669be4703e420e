/** pi's published harness and its stores, as far as a benchmark needs them. */
import { dirname } from "node:path";
import type { AgentHarness, JsonlSessionMetadata, Session, Storage } from "@earendil-works/pi-agent-core";
import type { Models } from "@earendil-works/pi-ai";
import { laneName } from "../adapters/adapter.ts";
import { loadPi, type Pi } from "../adapters/pi-agent-core/package.ts";
import { UsageError } from "../errors.ts";
import { scriptModel } from "../world/script.ts";
import { modelsWith } from "./burst-stream.ts";
import type { HarnessRun } from "./reference-system.ts";

export interface PiSystem {
  readonly pi: Pi;
  readonly version: string;
}

/** `undefined` when pi-agent-core is not installed. */
export async function piSystem(): Promise<PiSystem | undefined> {
  try {
    return await loadPi();
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** An empty session in one file, with a count of the physical writes to it since it was made. */
export interface PiFileSession {
  readonly session: Session;
  readonly metadata: JsonlSessionMetadata;
  writes(): number;
}

export async function newPiMemorySession({ pi }: PiSystem): Promise<Session> {
  return new pi.MemorySessionRepo().create({}, pi.BACKGROUND_CONTEXT);
}

export async function newPiFileSession(system: PiSystem, folder: string): Promise<PiFileSession> {
  const { pi } = system;
  const { NodeExecutionEnv } = await import("@earendil-works/pi-agent-core/node");
  let writes = 0;
  const fileSystem = new (class extends NodeExecutionEnv {
    override appendFile(...call: Parameters<InstanceType<typeof NodeExecutionEnv>["appendFile"]>) {
      writes++;
      return super.appendFile(...call);
    }
  })({ cwd: folder });
  const repo = new pi.JsonlSessionRepo({ fileSystem, sessionsRoot: folder });
  const session = await repo.create({ cwd: folder }, pi.BACKGROUND_CONTEXT);
  const before = writes;
  return { session, metadata: session.metadata, writes: () => writes - before };
}

/** The session of a file that was copied to `path`. */
export async function openPiFileSession({ pi }: PiSystem, metadata: JsonlSessionMetadata, path: string) {
  const { NodeExecutionEnv } = await import("@earendil-works/pi-agent-core/node");
  const folder = dirname(path);
  const repo = new pi.JsonlSessionRepo({ fileSystem: new NodeExecutionEnv({ cwd: folder }), sessionsRoot: folder });
  return repo.open({ ...metadata, path }, pi.BACKGROUND_CONTEXT);
}

/**
 * pi gives out its stores only inside of sessions, in a field that only the types call private; its memory sessions have
 * another session in between.
 */
export function piStoreOf(session: Session): Storage {
  interface Inside {
    readonly storage?: Storage;
    readonly session?: Inside;
  }
  const { storage, session: inner } = session as unknown as Inside;
  const found = storage ?? inner?.storage;
  if (found === undefined) throw new Error("pi's session has its store in another place than version 0.87.1 had");
  return found;
}

/** Accepts a prompt; `drive` answers how the operation ended. */
export async function startPi({ pi }: PiSystem, session: Session, models: Models): Promise<HarnessRun> {
  const context = pi.BACKGROUND_CONTEXT;
  const { harness } = await openPiHarness(pi, session, models);
  const lane = await harness.lane(laneName, context);
  const admission = await lane.accept({ kind: "prompt", prompt: "go" }, context);
  if (!admission.ok) throw admission.error;
  const { operationId } = admission.value;
  return { drive: () => drivePi(pi, harness, operationId), close: () => harness.close(context) };
}

/** Takes up the operation that a process left open. */
export async function resumePi({ pi }: PiSystem, session: Session): Promise<HarnessRun> {
  const { harness, open } = await openPiHarness(pi, session, modelsWith());
  const [operation] = open;
  if (operation === undefined) throw new Error("pi found no open operation in the session");
  const { operationId } = operation;
  return {
    drive: () => drivePi(pi, harness, operationId),
    close: () => harness.close(pi.BACKGROUND_CONTEXT),
  };
}

function openPiHarness(pi: Pi, session: Session, models: Models) {
  const options = {
    session,
    models,
    model: scriptModel,
    retry: { enabled: false, maxRetries: 0, baseDelayMs: 0 },
    compaction: { enabled: false, reserveTokens: 0, keepRecentTokens: 0 },
  };
  return pi.AgentHarness.create(options, pi.BACKGROUND_CONTEXT);
}

async function drivePi(pi: Pi, harness: AgentHarness, operationId: string): Promise<string> {
  const lane = await harness.lane(laneName, pi.BACKGROUND_CONTEXT);
  const driven = await lane.drive({ operationId, waitForRetry: false, pollDeferred: false }, pi.BACKGROUND_CONTEXT);
  if (!driven.ok) throw driven.error;
  return driven.value.kind === "settled" ? driven.value.outcome.status : driven.value.kind;
}
