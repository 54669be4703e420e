/** A process that records an endless answer until it is killed. Usage: recording-child.ts FIXTURE_FILE */
import { setTimeout as after } from "node:timers/promises";
import { FixtureRecorder } from "../../replay/record/recorder.ts";
import { fixtureFile } from "../../replay/record/sink.ts";
import { RelayStream } from "../../replay/relay.ts";
import { newPartial } from "./streams.ts";

const [path = ""] = process.argv.slice(2);
const recorder = new FixtureRecorder({ sink: fixtureFile(path), flushMs: 5 });

const provider = recorder.wrap({
  stream: (_model: object) => {
    const stream = new RelayStream();
    void speak(stream);
    return stream;
  },
});

for await (const _ of provider.stream({ provider: "generated", id: "m", api: "x" }));

async function speak(stream: RelayStream): Promise<void> {
  const partial = newPartial();
  const block = { type: "text" as const, text: "" };
  stream.give({ type: "start", partial });
  partial.content.push(block);
  stream.give({ type: "text_start", contentIndex: 0, partial });
  for (let number = 0; ; number++) {
    await after(1);
    const delta = `word${number} `;
    block.text += delta;
    stream.give({ type: "text_delta", contentIndex: 0, delta, partial });
  }
}
