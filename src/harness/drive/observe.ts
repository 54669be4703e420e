/** Follows one response from its request to its settlement, and makes each frame durable on the way (section C). */
import type { AssistantMessage, AssistantMessageEvent } from "@earendil-works/pi-ai";
import { pendingAssistantFrames } from "../../addresses/builtins.ts";
import { ProviderProtocolError } from "../../errors.ts";
import type { AppendOutcome } from "../../session/line.ts";
import { appendList } from "../../storage/contract/writes.ts";
import type { StreamUpdate } from "../listening/events.ts";
import type { ActivationOutcome } from "../options.ts";
import { readStream, type StreamingEvent } from "../reading/stream.ts";
import { withCountableUsage, withReadableUsage } from "../reading/usage.ts";
import { patienceOf } from "../state/patience.ts";
import { afterResponse } from "./after-response.ts";
import { ownsResponse, settleResponse } from "./commit-settlement.ts";
import type { Drive } from "./drive.ts";
import { leftBehind } from "./left-behind.ts";
import { Silence } from "./silence.ts";

/** Sends the request that an intent reserved a response for. */
export type Send = (signal: AbortSignal) => AsyncIterable<AssistantMessageEvent>;

/**
 * Takes a reserved response to its settlement: request, stream, hook, settlement (section C). The same for a fresh
 * attempt and for a poll (G1).
 */
export async function complete(
  drive: Drive,
  responseEntryId: string,
  send: Send,
): Promise<ActivationOutcome | undefined> {
  const observed = await observe(drive, responseEntryId, send);
  if (observed === undefined) {
    // Cancelled between intent and request: what was reserved is reconciled like any other orphan (F4).
    drive.live = undefined;
    return undefined;
  }
  const message = await afterResponse(drive, responseEntryId, observed);
  void drive.emit({ type: "message_end", message, entryId: responseEntryId });
  return settleResponse(drive, responseEntryId, message);
}

/** Sends the request and reads its stream; `undefined` when a cancel came first and nothing was sent. */
async function observe(drive: Drive, responseEntryId: string, send: Send): Promise<AssistantMessage | undefined> {
  drive.assertAlive();
  if (drive.lane.cancelRequested) return undefined;
  // The signal of the drive, and one that is pulled when the provider is left behind for its silence.
  const leaving = new AbortController();
  const stream = request(send, AbortSignal.any([drive.signal, leaving.signal]));
  const wait = drive.newWait();
  const silence = new Silence(drive.core, patienceOf(drive.scope.options).providerSilenceMs);
  silence.watch(wait).catch((error: unknown) => drive.core.fail(error));
  let latestFrameWrite: Promise<AppendOutcome> | undefined;
  const frames = pendingAssistantFrames(drive.operationId, responseEntryId);
  const final = await readStream(stream, {
    get over() {
      return drive.over;
    },
    async wait(answer, whom) {
      if (whom === "provider") silence.ask();
      const answered = await wait.for(answer);
      silence.hear();
      return wait.left === undefined ? answered : undefined;
    },
    append(frame) {
      const write = drive.core.append(() =>
        ownsResponse(drive, responseEntryId) ? [appendList(frames, frame)] : undefined,
      );
      // Every write is watched, though only the latest is kept: on a FIFO line it is the last to land (C5).
      write.catch((error: unknown) => drive.core.fail(error));
      latestFrameWrite = write;
    },
    tell: (event) => tell(drive, event),
  }).finally(() => silence.end());
  drive.assertAlive();
  if (wait.left === "silent") leaving.abort();
  const message = wait.left === undefined ? final : leftBehind(drive, wait.left);
  await latestFrameWrite;
  drive.assertAlive();
  return message === undefined ? undefined : withReadableUsage(message, drive.core.clock.now());
}

function request(send: Send, signal: AbortSignal): AsyncIterable<AssistantMessageEvent> {
  try {
    return send(signal);
  } catch (error) {
    throw new ProviderProtocolError("the request threw", "the request", error);
  }
}

async function tell(drive: Drive, event: StreamingEvent): Promise<void> {
  if (drive.live !== undefined) drive.live.partial = event.partial;
  if (event.type === "start") return drive.emit({ type: "message_start", message: withCountableUsage(event.partial) });
  const { partial: _growing, ...update } = event;
  return drive.emit({ type: "message_update", event: update as StreamUpdate });
}
