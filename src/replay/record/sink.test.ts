/** Fixture files, compressed or not, of recorders that were closed, killed, or whose disk failed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { NotAFixture } from "../../errors.ts";
import { newPartial } from "../../testing/replay/streams.ts";
import { readFixture } from "../fixture/read-file.ts";
import { RelayStream } from "../relay.ts";
import { FixtureRecorder } from "./recorder.ts";
import { fixtureBeside, fixtureFile } from "./sink.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const child = fileURLToPath(new URL("../../testing/replay/recording-child.ts", import.meta.url));

function fileIn(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "fixture-"));
  folders.push(folder);
  return join(folder, name);
}

async function recordOne(path: string): Promise<unknown> {
  const recorder = new FixtureRecorder({ sink: fixtureFile(path) });
  const provider = recorder.wrap({
    stream: (_model: object) => {
      const stream = new RelayStream();
      stream.give({ type: "start", partial: newPartial() });
      stream.give({ type: "done", reason: "stop", message: { ...newPartial(), stopReason: "stop" } });
      stream.close();
      return stream;
    },
  });
  const shown = [];
  for await (const event of provider.stream({ provider: "p", id: "m", api: "a" })) shown.push(event.type);
  await recorder.close();
  await recorder.close();
  return shown;
}

test.each(["a.jsonl", "a.jsonl.gz"])("[P2] %s is read back whole", async (name) => {
  const path = fileIn(name);

  await recordOne(path);

  const fixture = await readFixture(path);
  expect(fixture).toMatchObject({ complete: true, requests: [{ end: { kind: "complete" } }] });
  expect(readFileSync(path)[0] === 0x1f).toBe(name.endsWith(".gz"));
});

test.each(["k.jsonl", "k.jsonl.gz"])(
  "[P2] a killed recorder leaves %s as a readable prefix that says it is one",
  async (name) => {
    const path = fileIn(name);
    const process_ = spawn(process.execPath, ["--import", "tsx", child, path], { stdio: "inherit" });
    const closed = once(process_, "close");
    while ((await eventsIn(path)) < 40 && process_.exitCode === null) await turn();
    process_.kill("SIGKILL");
    await closed;

    const fixture = await readFixture(path);

    const [request] = fixture.requests;
    expect(fixture.complete).toBe(false);
    expect(request?.end).toBeUndefined();
    const words = request?.events.flatMap(({ event }) => ("delta" in event ? [event.delta] : [])) ?? [];
    expect(words.length).toBeGreaterThan(30);
    expect(words).toEqual(words.map((_, index) => `word${index} `));
  },
);

async function eventsIn(path: string): Promise<number> {
  if (!existsSync(path)) return 0;
  const fixture = await readFixture(path).catch(() => undefined);
  return fixture?.requests[0]?.events.length ?? 0;
}

test("[P2] a recorder whose file cannot be written disturbs no stream; close says so", async () => {
  const path = fileIn("taken.jsonl");
  writeFileSync(path, "mine");

  await expect(recordOne(path)).rejects.toThrow("EEXIST");
  expect(readFileSync(path, "utf8")).toBe("mine");
});

test("[P2] a fixture stands beside its session, under the first free name", async () => {
  const session = fileIn("chat.jsonl");
  const first = fixtureBeside(session);
  writeFileSync(`${first}.gz`, "");

  expect(first).toBe(`${session}.replay-1.jsonl`);
  expect(fixtureBeside(session, { gzip: true })).toBe(`${session}.replay-2.jsonl.gz`);
});

test("[P2] a compressed file that is damaged inside is no fixture", async () => {
  const path = fileIn("d.jsonl.gz");
  await recordOne(path);
  const bytes = readFileSync(path);
  bytes.fill(0xff, 12, 40);
  writeFileSync(path, bytes);

  await expect(readFixture(path)).rejects.toThrow(NotAFixture);
});
