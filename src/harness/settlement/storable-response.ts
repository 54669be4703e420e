/** Responses as a store keeps them: what it would refuse is left out, or makes the response an error (Q2, Q6). */
import type { AssistantMessage } from "@earendil-works/pi-ai";
import { frozenCopy } from "../../durable/json.ts";
import type { EffectPending } from "../../durable/state.ts";
import type { ProviderProtocolError } from "../../errors.ts";
import { assertDepth } from "../../storage/admission/depth.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import { withReadableUsage } from "../reading/usage.ts";
import { requestOf } from "./reserved-request.ts";

/** What a broken stream had said before it broke. */
export interface SaidBefore {
  /** The live message; absent when the stream had not started. */
  readonly partial: AssistantMessage | undefined;
  /** What was reported last; absent when nothing was. */
  readonly usage: unknown;
}

/**
 * The response as an entry keeps it: a frozen copy.
 *
 * @throws {StorageRejected} when no store would keep it, or it is no response.
 */
export function storableResponse(message: AssistantMessage): AssistantMessage {
  if (message.role !== "assistant" || !Array.isArray(message.content)) {
    throw new TypeError("The message is no response: it has no role or no list of blocks");
  }
  // It is stored one level below an entry.
  assertDepth({ message });
  return frozenCopy(message);
}

/** The response without the blocks that no store would keep. */
export function withStorableBlocks(message: AssistantMessage): AssistantMessage {
  const content = message.content.filter((block) => isStorable({ ...message, content: [block] }));
  return content.length === message.content.length ? message : { ...message, content };
}

/** The error response of a stream that broke its protocol (Q6). */
export const brokenResponse = (
  intent: EffectPending,
  said: SaidBefore,
  defect: ProviderProtocolError,
  now: number,
): AssistantMessage => brokenOff(intent, said, { stopReason: "error", errorMessage: brokenText(defect) }, now);

/** The response to a stream without an end: its live partial, and the usage that was reported (Q4, Q6). */
export function brokenOff(
  intent: EffectPending,
  { partial, usage }: SaidBefore,
  ends: Pick<AssistantMessage, "stopReason" | "errorMessage">,
  now: number,
): AssistantMessage {
  const empty = emptyResponse(intent, now);
  const { deferred: _dropped, ...said } = partial ?? empty;
  const ending = { usage: zeroUsage(), ...ends };
  const whole = withStorableBlocks({ ...said, ...ending });
  const response = isStorable(whole) ? whole : withStorableBlocks({ ...empty, ...ending, content: said.content });
  if (usage === undefined) return storableResponse(response);
  return storableResponse(withReadableUsage({ ...response, usage: usage as AssistantMessage["usage"] }, now));
}

/** A response of which only the captured model is known (E4). */
export function emptyResponse(state: EffectPending, timestamp: number): AssistantMessage {
  const { model } = requestOf(state).configuration;
  return {
    role: "assistant",
    content: [],
    api: state.api ?? "unknown",
    provider: model.provider,
    model: model.modelId,
    usage: zeroUsage(),
    stopReason: "error",
    timestamp,
  };
}

const brokenText = ({ message }: ProviderProtocolError): string =>
  `${message}. The preceding content is what had been streamed; the outcome of the request is unknown.`;

function isStorable(message: AssistantMessage): boolean {
  try {
    storableResponse(message);
    return true;
  } catch {
    return false;
  }
}
