/** An agent whose provider gives to each request the events that a test has written, at once: over any store. */
import type { AssistantMessage, AssistantMessageEvent, AssistantMessageEventStream } from "@earendil-works/pi-ai";
import { openHarness } from "../../harness/harness.ts";
import type { Lane } from "../../harness/lane.ts";
import type { HarnessEvent } from "../../harness/listening/events.ts";
import type { HarnessOptions } from "../../harness/options.ts";
import { Session } from "../../session/session.ts";
import type { Storage } from "../../storage/contract/storage.ts";
import { FakeProvider } from "./fakes.ts";

class ScriptedProvider extends FakeProvider {
  readonly #answers: readonly (readonly AssistantMessageEvent[])[];

  constructor(answers: readonly (readonly AssistantMessageEvent[])[]) {
    super();
    this.#answers = answers;
  }

  override streamSimple(...asked: Parameters<FakeProvider["streamSimple"]>) {
    super.streamSimple(...asked);
    // pi-ai's own stream would drop what comes after its end.
    return given(this.#answers[this.requests.length - 1] ?? []) as unknown as AssistantMessageEventStream;
  }
}

async function* given(events: readonly AssistantMessageEvent[]): AsyncGenerator<AssistantMessageEvent> {
  yield* events;
}

/** An open harness with one lane, its provider, and what listeners were told. */
export interface ScriptedAgent {
  readonly lane: Lane;
  readonly provider: FakeProvider;
  readonly events: readonly HarnessEvent[];
}

/** Opens the agent over a store. */
export async function openScriptedAgent(
  storage: Storage,
  answers: readonly (readonly AssistantMessageEvent[])[],
  options: Partial<HarnessOptions> = {},
): Promise<ScriptedAgent> {
  const provider = new ScriptedProvider(answers);
  const events: HarnessEvent[] = [];
  const harness = await openHarness({
    session: new Session(storage),
    models: provider,
    model: { provider: "fake", modelId: "small" },
    onEvent: (event) => void events.push(event),
    ...options,
  });
  return { lane: await harness.lane("main"), provider, events };
}

/** The responses in the transcript of a lane. */
export async function responsesOf(lane: Lane): Promise<AssistantMessage[]> {
  const { transcript } = await lane.snapshot();
  return transcript.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "assistant" ? [entry.message] : [],
  );
}
