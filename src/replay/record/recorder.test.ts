/** The recorder, the format and the player, together: what is played is what was given. */
import type { Context } from "@earendil-works/pi-ai";
import fc from "fast-check";
import { expect, test } from "vitest";
import { generatedModel, generatedProvider, readShown, StepClock, TextSink } from "../../testing/replay/provider.ts";
import { anyStream, type GeneratedStream } from "../../testing/replay/streams.ts";
import { decodeFixture } from "../fixture/decode.ts";
import { encodeFixture } from "../fixture/encode.ts";
import { noPause } from "../play/pace.ts";
import { replayModels } from "../play/replay.ts";
import { FixtureRecorder } from "./recorder.ts";

const context: Context = { messages: [] };

async function record(streams: readonly GeneratedStream[]) {
  const clock = new StepClock();
  const sink = new TextSink();
  const recorder = new FixtureRecorder({ sink, clock });
  const models = recorder.wrap(generatedProvider(streams, clock));
  const shown = [];
  for (const _ of streams) shown.push(await readShown(models.streamSimple(generatedModel, context)));
  await recorder.close();
  return { text: sink.text, shown };
}

test("[P2] [P3] [B6] whatever legal streams are recorded, the same events with the same messages are played", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStream, { minLength: 1, maxLength: 2 }), async (streams) => {
      const { text, shown } = await record(streams.map((make) => make()));
      const fixture = decodeFixture(text);
      const models = replayModels(fixture, { pace: noPause });
      for (const expected of shown) {
        expect(await readShown(models.streamSimple(generatedModel, context))).toEqual(expected);
      }
      expect(models.remaining).toBe(0);
    }),
    { numRuns: 100 },
  );
});

test("[P2] a decoded fixture, encoded and decoded again, is the same", async () => {
  await fc.assert(
    fc.asyncProperty(anyStream, async (make) => {
      const stream = make();
      const fixture = decodeFixture((await record([stream])).text);
      expect(fixture.complete).toBe(true);
      const text = encodeFixture(fixture);
      expect(decodeFixture(text)).toEqual(fixture);
      expect(encodeFixture(decodeFixture(text))).toBe(text);
    }),
    { numRuns: 100 },
  );
});

test("[P2] the times of the bursts are recorded", async () => {
  await fc.assert(
    fc.asyncProperty(anyStream, async (make) => {
      const stream = make();
      const [request] = decodeFixture((await record([stream])).text).requests;
      let at = 0;
      const expected = stream.bursts.flatMap(({ gapMs, moves }) => {
        at += gapMs;
        return moves.map(() => at);
      });
      expect(request?.events.map((event) => event.at)).toEqual(expected);
    }),
  );
});
