/** A provider for the example: it answers each prompt with a fixed text, word by word, and needs no network. */
import type { Api, AssistantMessage, AssistantMessageEventStream, Model } from "@earendil-works/pi-ai";
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai/utils/event-stream";
import type { HarnessOptions } from "assistant-durability";

const model: Model<Api> = {
  id: "scripted",
  name: "Scripted",
  api: "scripted",
  provider: "example",
  baseUrl: "",
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 100_000,
  maxTokens: 1_000,
};

export const answer = "Frames are written while I speak so a crash costs only the words that are not on the disk yet.";

export function scriptedProvider(msPerWord: number, words: number): HarnessOptions["models"] {
  const noPolls = () => {
    throw new Error("This provider answers at once");
  };
  return {
    getModel: () => model,
    streamSimple: (_model, _context, options) => {
      const stream = createAssistantMessageEventStream();
      void speak(stream, msPerWord, words, options?.signal);
      return stream;
    },
    streamDeferred: noPolls,
    cancelDeferred: noPolls,
  };
}

async function speak(
  stream: AssistantMessageEventStream,
  msPerWord: number,
  words: number,
  signal?: AbortSignal,
): Promise<void> {
  const block = { type: "text" as const, text: "" };
  const partial = newMessage();
  stream.push({ type: "start", partial });
  partial.content.push(block);
  stream.push({ type: "text_start", contentIndex: 0, partial });
  for (const [said, word] of answer.split(/(?<= )/).entries()) {
    if (said === words) return;
    await new Promise((resolve) => setTimeout(resolve, msPerWord));
    if (signal?.aborted) return stream.push({ type: "error", reason: "aborted", error: ended(partial, "aborted") });
    block.text += word;
    stream.push({ type: "text_delta", contentIndex: 0, delta: word, partial });
  }
  stream.push({ type: "text_end", contentIndex: 0, content: block.text, partial });
  stream.push({ type: "done", reason: "stop", message: ended(partial, "stop") });
}

const newMessage = (): AssistantMessage => ({
  role: "assistant",
  content: [],
  api: model.api,
  provider: model.provider,
  model: model.id,
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
  stopReason: "pending",
  timestamp: Date.now(),
});

const ended = (partial: AssistantMessage, stopReason: "stop" | "aborted"): AssistantMessage => ({
  ...structuredClone(partial),
  stopReason,
});
