/** The agent in a process of its own, driven by the SDK's client over real standard input and output. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { methods, type SessionUpdate } from "@agentclientprotocol/sdk";
import type { Message } from "@earendil-works/pi-ai";
import { afterAll, afterEach, expect, test } from "vitest";
import { encodeFixture } from "../replay/fixture/encode.ts";
import { importSessionLog } from "../replay/import/session-log.ts";
import { AgentProcess } from "../testing/acp/client.ts";
import { recordedLogs } from "../testing/replay/recorded-logs.ts";
import { metaName } from "./blocks.ts";

const root = mkdtempSync(join(tmpdir(), "acp-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const fixturePath = join(root, "fixture.jsonl");
const log = recordedLogs().find(({ name }) => name.startsWith("workspace"));
const fixture = importSessionLog(log?.text ?? "");
writeFileSync(fixturePath, encodeFixture(fixture));

const running: AgentProcess[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.end("kill")));
});

function start(folder: string, options?: ConstructorParameters<typeof AgentProcess>[2]): AgentProcess {
  const agent = new AgentProcess(folder, fixturePath, options);
  running.push(agent);
  return agent;
}

async function end(agent: AgentProcess, how: "kill" | "close"): Promise<void> {
  running.splice(running.indexOf(agent), 1);
  await agent.end(how);
}

const newFolder = (): string => mkdtempSync(join(root, "sessions-"));

const textOf = (update: SessionUpdate | undefined): string =>
  update !== undefined &&
  "content" in update &&
  update.content !== null &&
  !Array.isArray(update.content) &&
  update.content?.type === "text"
    ? update.content.text
    : "";

const said = (updates: readonly SessionUpdate[], kind: SessionUpdate["sessionUpdate"]): string[] =>
  updates.flatMap((update) => (update.sessionUpdate === kind ? [textOf(update)] : []));

const contextsIn = (folder: string): Message[][] =>
  readFileSync(join(folder, "contexts.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).messages);

const framesAreStored = (folder: string): boolean =>
  readdirSync(folder).some((name) => readFileSync(join(folder, name), "utf8").includes("pi.pending.assistant_frame"));

/** Resolves when a session file in the folder has frames. */
function untilFramesAreStored(folder: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!framesAreStored(folder)) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(folder, look);
    look();
  });
}

test("[P6] a loaded session shows completed answers as whole blocks, with tool calls and results, and takes a new prompt", async () => {
  const folder = newFolder();
  const first = start(folder);
  const sessionId = await first.newSession();
  expect(await first.prompt(sessionId, "Edit the file")).toEqual({ stopReason: "end_turn" });
  const live = [...first.updates];
  await end(first, "close");

  const second = start(folder);
  await second.initialize();
  await second.load(sessionId);
  const loaded = [...second.updates];
  expect(await second.prompt(sessionId, "And again")).toEqual({ stopReason: "end_turn" });

  expect(said(loaded, "user_message_chunk")).toEqual(["Edit the file"]);
  const thoughts = said(loaded, "agent_thought_chunk");
  expect(thoughts).toHaveLength(4);
  expect(said(live, "agent_thought_chunk").length).toBeGreaterThan(40);
  expect(thoughts.join("")).toBe(said(live, "agent_thought_chunk").join(""));
  expect(said(loaded, "agent_message_chunk")).toEqual(["DONE"]);
  const calls = loaded.filter(({ sessionUpdate }) => sessionUpdate === "tool_call");
  expect(calls).toHaveLength(3);
  expect(calls[0]).toMatchObject({ status: "completed", name: "read", rawInput: { file_path: "greeting.txt" } });
  expect(calls[0]).toMatchObject({ content: [{ type: "content", content: { text: "read ran" } }] });
  const roles = contextsIn(folder)[4]?.map(({ role }) => role);
  const turn = ["assistant", "toolResult"];
  expect(roles).toEqual(["user", ...turn, ...turn, ...turn, "assistant", "user"]);
});

test("[P6] [P4] [F3] a session whose agent was killed shows the interrupted partial as such, and goes on", async () => {
  const folder = newFolder();
  const first = start(folder, { bursts: 12 });
  const sessionId = await first.newSession();
  const prompted = first.prompt(sessionId, "Edit the file").catch(() => "lost");
  await first.told(15);
  // What is told need not be stored yet (C2).
  await untilFramesAreStored(folder);
  await end(first, "kill");
  expect(await prompted).toBe("lost");
  const shown = said(first.updates, "agent_thought_chunk").join("");

  const second = start(folder);
  await second.initialize();
  await second.load(sessionId);
  const loaded = [...second.updates];
  expect(await second.prompt(sessionId, "Go on")).toEqual({ stopReason: "end_turn" });

  const partial = said(loaded, "agent_thought_chunk").join("");
  expect(partial).not.toBe("");
  expect(shown.startsWith(partial)).toBe(true);
  expect(loaded.at(-1)).toMatchObject({ _meta: { [metaName]: { partial: "aborted" } } });
  expect(textOf(loaded.at(-1))).toContain("cancelled");
  expect(contextsIn(folder)[1]?.map(({ role }) => role)).toEqual(["user", "user"]);
});

test("[P6] a cancel in the middle of the stream ends the turn as cancelled and leaves the aborted partial", async () => {
  const folder = newFolder();
  const agent = start(folder, { bursts: 12 });
  const sessionId = await agent.newSession();
  const prompted = agent.prompt(sessionId, "Edit the file");
  await agent.told(15);
  await agent.agent.notify(methods.agent.session.cancel, { sessionId });

  expect(await prompted).toEqual({ stopReason: "cancelled" });
  const live = said(agent.updates, "agent_thought_chunk").join("");
  agent.updates.length = 0;
  await agent.load(sessionId);
  expect(said(agent.updates, "agent_thought_chunk").join("")).toBe(live);
  expect(agent.updates.at(-1)).toMatchObject({ _meta: { [metaName]: { partial: "aborted" } } });
});

test("[P6] a cancel right behind its prompt ends the turn as cancelled, and a second prompt meanwhile is refused", async () => {
  const agent = start(newFolder());
  const sessionId = await agent.newSession();

  const prompted = agent.prompt(sessionId, "Edit the file");
  const second = agent.prompt(sessionId, "Me too");
  await agent.agent.notify(methods.agent.session.cancel, { sessionId });

  await expect(second).rejects.toThrow(/under way/);
  expect(await prompted).toEqual({ stopReason: "cancelled" });
});

test("[P6] a turn that fails is an error of its request, and the session goes on", async () => {
  const agent = start(newFolder(), { first: fixture.requests.length });
  const sessionId = await agent.newSession();

  await expect(agent.prompt(sessionId, "Edit the file")).rejects.toThrow();
  await agent.load(sessionId);
  expect(said(agent.updates, "user_message_chunk")).toEqual(["Edit the file"]);
});

test("[P6] resume replays nothing, close ends a session, and unknown or hostile ids are refused", async () => {
  const folder = newFolder();
  writeFileSync(join(root, "outside.jsonl"), "not a session");
  const agent = start(folder);
  const sessionId = await agent.newSession();
  expect((await agent.initialize()).agentCapabilities).toMatchObject({
    loadSession: true,
    sessionCapabilities: { resume: {}, close: {} },
  });
  await agent.prompt(sessionId, "Edit the file");
  agent.updates.length = 0;
  await agent.agent.request(methods.agent.session.resume, { sessionId, cwd: "/" });
  expect(agent.updates).toEqual([]);

  await agent.agent.request(methods.agent.session.close, { sessionId });
  await expect(agent.prompt(sessionId, "?")).rejects.toThrow(/not found/i);
  for (const id of ["../outside", "00000000-0000-0000-0000-000000000000", "", "__proto__"]) {
    await expect(agent.load(id)).rejects.toThrow(/not found/i);
  }
});

test("[P6] a damaged session file is refused with what is wrong, and the agent lives on", async () => {
  const folder = newFolder();
  const agent = start(folder);
  await agent.initialize();
  const id = "11111111-1111-4111-8111-111111111111";
  writeFileSync(join(folder, `${id}.jsonl`), "{}\n{}\n");

  await expect(agent.load(id)).rejects.toThrow(/is no session/);
  expect(await agent.newSession()).toMatch(/^[0-9a-f-]{36}$/);
});
