/** The checker's provider on recorded content: for whoever changes what the checker's streams say. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { encodeFixture, type Fixture, type RecordedEvent } from "../../src/index.ts";
import { cli, temporaryFolder } from "../testing/cli.ts";
import { frameAt, RequestScript } from "../world/script.ts";
import { inventedSayings } from "./catalogue.ts";
import { recordedSayings } from "./recorded.ts";
import { committedContent } from "./saying.ts";

const at = 0;
const text = (delta: string, ahead?: number): RecordedEvent => ({
  at,
  event: { type: "text_delta", contentIndex: 0, delta },
  ...(ahead !== undefined && { ahead }),
});
const call = (delta: string): RecordedEvent => ({ at, event: { type: "toolcall_delta", contentIndex: 1, delta } });

const model = { provider: "p", id: "m", api: "a" };
const head = { role: "assistant", api: "a", provider: "p", model: "m", stopReason: "pending", timestamp: 0 } as const;
const fixture: Fixture = {
  startedAt: 0,
  complete: true,
  requests: [
    {
      at,
      call: "streamSimple",
      model,
      events: [
        { at, event: { type: "start" }, change: { set: head } },
        { at, event: { type: "text_start", contentIndex: 0 } },
        text("Hel", 2),
        text("lo"),
        text(" 你"),
        { at, event: { type: "toolcall_start", contentIndex: 1 } },
        call(""),
        call('{"a":'),
        call('"b"}'),
      ],
    },
  ],
};

const sayings = recordedSayings(fixture, 1);

test("[B6] a request says a recorded burst: the message is ahead of the deltas, the frames are not", () => {
  const script = new RequestScript(2, 0, sayings);
  script.start();
  script.update();
  const event = script.update();

  expect(event).toMatchObject({ type: "text_delta", delta: "Hel" });
  expect(script.partial.content).toEqual([{ type: "text", text: "Hello 你" }]);
  expect(committedContent(sayings(2), 3)).toEqual([{ type: "text", text: "Hel" }]);
  expect(frameAt(2, 4, sayings)).toEqual({ type: "text_delta", contentIndex: 0, delta: "lo" });
});

test("[N10] every second request says a recorded tool call, without the deltas that give no frame", () => {
  const script = new RequestScript(1, 0, sayings);
  script.start();
  script.update();

  expect([script.update(), script.update()]).toMatchObject([{ delta: '{"a":' }, { delta: '"b"}' }]);
  expect(script.partial.content).toMatchObject([{ id: "partial-1", arguments: { a: "b" } }]);
});

test("a fixture without tool calls leaves those requests what they say without one", () => {
  const withoutCalls = recordedSayings({ ...fixture, requests: [] }, 1);

  expect(withoutCalls(1)).toBe(inventedSayings(1));
});

test("[P3] verify --stream checks the same schedules on recorded content, and all rows hold", async () => {
  const file = join(temporaryFolder(), "fixture.jsonl");
  writeFileSync(file, encodeFixture(fixture));

  const { code, stdout } = await cli("verify", "--stream", file, "--race", "R1", "--workers", "1");

  expect(code).toBe(0);
  expect(stdout).toContain("reference holds");
});

test("verify --stream with what is no fixture is a usage error in one line", async () => {
  const file = join(temporaryFolder(), "fixture.jsonl");
  writeFileSync(file, "hello\n");

  const { code, stderr } = await cli("verify", "--stream", file, "--workers", "1");

  expect([code, stderr]).toEqual([2, expect.stringContaining("no replay fixture")]);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});
