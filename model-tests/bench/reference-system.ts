/** This project's harness, as far as a benchmark needs it. */
import type { Models } from "@earendil-works/pi-ai";
import { type Lane, openHarness, Session, type Storage } from "../../src/index.ts";
import { laneName } from "../adapters/adapter.ts";
import { scriptModel } from "../world/script.ts";
import { modelsWith } from "./burst-stream.ts";

/** One operation in one process. */
export interface HarnessRun {
  /** Drives to the end and answers the operation's status. */
  drive(): Promise<string>;
  close(): Promise<void>;
}

/** Accepts a prompt; `drive` answers how the operation ended. */
export async function startReference(storage: Storage, models: Models): Promise<HarnessRun> {
  const { lane, close } = await open(storage, models);
  await lane.accept({ prompt: "go" });
  return { drive: () => drive(lane), close };
}

/** Takes up the operation that a process left open. */
export async function resumeReference(storage: Storage): Promise<HarnessRun> {
  const { lane, close } = await open(storage, modelsWith());
  return { drive: () => drive(lane), close };
}

async function open(storage: Storage, models: Models): Promise<{ lane: Lane; close: () => Promise<void> }> {
  const model = { provider: scriptModel.provider, modelId: scriptModel.id };
  const harness = await openHarness({ session: new Session(storage), models, model });
  return { lane: await harness.lane(laneName), close: () => harness.close() };
}

async function drive(lane: Lane): Promise<string> {
  const outcome = await lane.activate({ waitForRetry: false });
  return outcome.kind === "settled" ? outcome.result.status : outcome.kind;
}
