/** Makes session files in which a process died in the middle of a response. */
import { closeSync, copyFileSync, openSync, readFileSync, writeSync } from "node:fs";
import type { JsonlSessionMetadata } from "@earendil-works/pi-agent-core";
import {
  appendList,
  type FileStorage,
  type FileStoreName,
  fileStoreNamed,
  laneState,
  operationState,
  pendingAssistantFrames,
  type Storage,
} from "../../src/index.ts";
import { laneName } from "../adapters/adapter.ts";
import { frameAt } from "../world/script.ts";
import { BurstStream, modelsWith, textRequest } from "./burst-stream.ts";
import { newPiFileSession, type PiSystem, startPi } from "./pi-system.ts";
import { startReference } from "./reference-system.ts";

/** The response that is left behind has its start, the start of its block, and one delta. */
const begun = 3;

const options = { durability: "process", now: Date.now } as const;

/** Appends handed over before any of them is awaited. */
const group = 10_000;

/** Leaves a session of this project's behind, in whose open response `frames` frames are durable. */
export async function orphan(store: FileStoreName, path: string, frames: number): Promise<void> {
  const storage = await fileStoreNamed(store).open(path, options);
  const stream = new BurstStream({ frames: begun, ends: false });
  const run = await startReference(storage, modelsWith(stream));
  void run.drive().catch(() => {});
  await stream.exhausted;
  // A read takes its turn behind the appends, so they have landed.
  const address = await openFrames(storage);
  await storage.kill();
  await fill(await fileStoreNamed(store).open(path, options), address, frames);
}

async function openFrames(storage: Storage): Promise<ReturnType<typeof pendingAssistantFrames>> {
  const operationId = (await storage.getValue(laneState(laneName)))?.value.currentOperationId;
  if (operationId === undefined || operationId === null) throw new Error("No operation is open");
  const state = (await storage.getValue(operationState(operationId)))?.value;
  if (state?.at !== "assistant.effect_pending") throw new Error(`The operation is at ${state?.at}`);
  return pendingAssistantFrames(operationId, state.responseEntryId);
}

async function fill(storage: FileStorage, address: Awaited<ReturnType<typeof openFrames>>, frames: number) {
  for (let position = begun + 1; position <= frames; position += group) {
    const count = Math.min(group, frames - position + 1);
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        storage.commit([appendList(address, frameAt(textRequest, position + index))]),
      ),
    );
  }
  await storage.close();
}

/** As {@link orphan}, of pi's. Its store would take minutes for the frames, so they are written in its format. */
export async function piOrphan(
  system: PiSystem,
  folder: string,
  path: string,
  frames: number,
): Promise<JsonlSessionMetadata> {
  const { session, metadata } = await newPiFileSession(system, folder);
  const stream = new BurstStream({ frames: begun, ends: false });
  const run = await startPi(system, session, modelsWith(stream));
  void run.drive().catch(() => {});
  await stream.exhausted;
  await session.mutate(async () => {}, system.pi.BACKGROUND_CONTEXT);
  copyFileSync(metadata.path, path);
  await run.close();
  continueFile(path, frames);
  return metadata;
}

/** Repeats the last line, which holds a frame, with the frames that follow it. */
function continueFile(path: string, frames: number): void {
  const last = JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1) as string) as { seq: number };
  const file = openSync(path, "a");
  for (let position = begun + 1; position <= frames; position += group) {
    const count = Math.min(group, frames - position + 1);
    const lines = Array.from({ length: count }, (_, index) => {
      const seq = last.seq + position - begun + index;
      return `${JSON.stringify({ ...last, seq, value: frameAt(textRequest, position + index) })}\n`;
    });
    writeSync(file, lines.join(""));
  }
  closeSync(file);
}
