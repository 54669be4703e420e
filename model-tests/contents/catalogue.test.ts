/** What a content says its frames are, and carry, is what pi-ai's codec makes of its events. */
import { AssistantMessageFrameEncoder, reduceAssistantMessageFrames } from "@earendil-works/pi-ai";
import { describe, expect, test } from "vitest";
import { frameAt, RequestScript } from "../world/script.ts";
import { catalogueSayings, contentNames } from "./catalogue.ts";
import { committedContent } from "./saying.ts";

const updates = 14;

describe.each(contentNames.map((name, at) => [name, at] as const))("the content %s", (_, at) => {
  const request = 3;
  const sayings = catalogueSayings((at + contentNames.length - request + 1) % contentNames.length);

  test("[B2] gives one frame for each update, and none for an update that is covered", () => {
    const script = new RequestScript(request, 0, sayings);
    const encoder = new AssistantMessageFrameEncoder();
    expect(encoder.encode(script.start())).toEqual(frameAt(request, 1, sayings));
    for (let position = 2; position < updates; position++) {
      expect(encoder.encode(script.update())).toEqual(frameAt(request, position, sayings));
      expect(encoder.encode(script.covered())).toBeUndefined();
    }
  });

  test("[E3] carries in each prefix of its frames what they reduce to", () => {
    const frames = Array.from({ length: updates }, (_, index) => frameAt(request, index + 1, sayings));
    for (let listed = 1; listed <= updates; listed++) {
      const reduced = reduceAssistantMessageFrames(frames.slice(0, listed));
      expect(reduced?.content).toEqual(committedContent(sayings(request), listed));
    }
  });
});

test("[B6] the message that is ahead of its events shows more than its frames carry", () => {
  const first = contentNames.indexOf("a message ahead of its events");
  const saying = catalogueSayings(first)(1);

  expect(saying.beat(2).shows).toEqual([{ type: "text", text: "abcdef" }]);
  expect(saying.beat(2).carries).toEqual([{ type: "text", text: "abc" }]);
});
