/** A recorder between a harness and pi-ai's own faux provider: it changes nothing that is stored. For users of the recorder. */
import { type Context, createModels } from "@earendil-works/pi-ai";
import {
  fauxAssistantMessage,
  fauxProvider,
  fauxText,
  fauxThinking,
  fauxToolCall,
} from "@earendil-works/pi-ai/providers/faux";
import { expect, test } from "vitest";
import { openHarness } from "../../harness/harness.ts";
import type { ProviderModels } from "../../harness/options.ts";
import { Session } from "../../session/session.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { TextSink } from "../../testing/replay/provider.ts";
import { decodeFixture } from "../fixture/decode.ts";
import { noPause } from "../play/pace.ts";
import { replayModels } from "../play/replay.ts";
import { FixtureRecorder } from "./recorder.ts";

const answers = () => [
  fauxAssistantMessage(
    [fauxThinking("let me see"), fauxToolCall("read", { path: "a.txt", lines: [1, 2] }, { id: "c1" })],
    {
      stopReason: "toolUse",
    },
  ),
  fauxAssistantMessage([fauxText("it says 你好 and no more")]),
];

function fauxModels() {
  const faux = fauxProvider({ tokenSize: { min: 2, max: 2 } });
  faux.setResponses(answers());
  const models = createModels();
  models.setProvider(faux.provider);
  return { models, model: faux.getModel() };
}

/** What a conversation leaves in the session, without times and ids. */
async function conversation(models: ProviderModels, provider: string, modelId: string) {
  const harness = await openHarness({
    session: new Session(new MemoryStorage()),
    models,
    model: { provider, modelId },
    hooks: { runTool: () => ({ content: [{ type: "text", text: "ran" }] }) },
  });
  const lane = await harness.lane("main");
  await lane.accept({ prompt: "read it" });
  const outcome = await lane.activate();
  const { transcript } = await lane.snapshot();
  await harness.close();
  const said = transcript.map((entry) => (entry.type === "message" ? [entry.message.role, entry.message.content] : []));
  return { kind: outcome.kind, said };
}

test("[P2] [P3] a recorded conversation is the same as one that is not, and so is the played one", async () => {
  const plain = fauxModels();
  const { provider, id } = plain.model;
  const sink = new TextSink();
  const recorder = new FixtureRecorder({ sink });

  const unrecorded = await conversation(plain.models, provider, id);
  const recorded = await conversation(recorder.wrap(fauxModels().models), provider, id);
  await recorder.close();
  const played = await conversation(replayModels(decodeFixture(sink.text), { pace: noPause }), provider, id);

  expect(unrecorded.said).toHaveLength(4);
  expect(recorded).toEqual(unrecorded);
  expect(played).toEqual(unrecorded);
});

test("[P2] a single provider can be wrapped as well as a collection", async () => {
  const faux = fauxProvider();
  faux.setResponses(answers().slice(1));
  const sink = new TextSink();
  const recorder = new FixtureRecorder({ sink });
  const models = createModels();
  models.setProvider(recorder.wrap(faux.provider));
  const context: Context = { messages: [{ role: "user", content: "?", timestamp: 0 }] };

  const message = await models.completeSimple(faux.getModel(), context);
  await recorder.close();

  const [request] = decodeFixture(sink.text).requests;
  expect(message.content).toMatchObject([{ text: "it says 你好 and no more" }]);
  expect(request).toMatchObject({ call: "streamSimple", end: { kind: "complete" } });
});
