/** What users lose when a process dies in a tool: nothing that had finished, and nothing happens twice (Q1). */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Storage } from "../../storage/contract/storage.ts";
import { fileStoreNamed, fileStoreNames } from "../../storage/file-stores.ts";
import { MemoryStorage } from "../../storage/memory/memory.ts";
import { wrapStorage } from "../../storage/wrap-storage.ts";
import { effectsOf, openMailAgent } from "../../testing/harness/mail.ts";
import { temporaryFolder } from "../../testing/storage/stores.ts";
import type { Lane } from "../lane.ts";
import type { ToolPolicy } from "../options.ts";
import { toolErrors } from "../settlement/tool-result.ts";

const child = fileURLToPath(new URL("../../testing/harness/mail-child.ts", import.meta.url));
let folder: ReturnType<typeof temporaryFolder>;
let file: string;

beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder.path, "effects");
});
afterEach(() => folder.remove());

/** One at a time, so that the mail has been sent when the second call kills the process. */
const oneByOne: Partial<ToolPolicy> = { execution: "sequential" };
const looks = () => ({ content: [{ type: "text" as const, text: "seen" }] });

async function results(lane: Lane) {
  const { transcript } = await lane.snapshot();
  return transcript.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "toolResult") return [];
    const [block] = entry.message.content;
    return [[entry.message.toolName, entry.message.isError, block?.type === "text" ? block.text : ""]];
  });
}

const unknown = ["look", true, toolErrors.interrupted];

describe.each(fileStoreNames)("over %s, a process that was killed while its second call ran", (name) => {
  const path = () => join(folder.path, "session");
  const kill = (policy: Partial<ToolPolicy>) => {
    const { signal } = spawnSync(
      process.execPath,
      ["--import", "tsx", child, name, path(), file, JSON.stringify(policy)],
      { stdio: "inherit" },
    );
    expect(signal).toBe("SIGKILL");
  };
  const reopen = async (policy: Partial<ToolPolicy>, work: (lane: Lane) => Promise<void>) => {
    const storage = await fileStoreNamed(name).open(path());
    await work(await openMailAgent(storage, { file, toolPolicy: policy, look: looks }));
    await storage.close();
  };

  test("[Q1] has sent one mail, and the model is told that nobody knows how the second call ended", async () => {
    kill(oneByOne);
    await reopen(oneByOne, async (lane) => {
      expect(await lane.activate()).toMatchObject({ result: { status: "completed" } });
      expect(await results(lane)).toEqual([["mail", false, "sent"], unknown]);
    });
    expect([effectsOf(file, "mail"), effectsOf(file, "look")]).toEqual([1, 1]);
  });

  test("[Q1] runs that call again when its tool is repeatable, but not at every boot without end", async () => {
    const policy = { ...oneByOne, repeatable: ["look"], maxRuns: 2 };
    kill(policy);
    kill(policy);
    await reopen(policy, async (lane) => {
      expect(await lane.activate()).toMatchObject({ result: { status: "completed" } });
      expect(await results(lane)).toEqual([["mail", false, "sent"], unknown]);
    });
    expect([effectsOf(file, "mail"), effectsOf(file, "look")]).toEqual([1, 2]);
  });

  test("[Q1] gets the result of the second run when that one ends", async () => {
    const policy = { ...oneByOne, repeatable: ["look"] };
    kill(policy);
    await reopen(policy, async (lane) => {
      expect(await lane.activate()).toMatchObject({ result: { status: "completed" } });
      expect(await results(lane)).toEqual([
        ["mail", false, "sent"],
        ["look", false, "seen"],
      ]);
    });
    expect([effectsOf(file, "mail"), effectsOf(file, "look")]).toEqual([1, 2]);
  });
});

test("[Q1] over memory, a session that was left while its second call ran has sent one mail", async () => {
  const storage = new MemoryStorage();
  const begun = new Promise<void>((resolve) => {
    const look = () => {
      resolve();
      return new Promise<never>(() => {});
    };
    void leave(storage, look);
  });
  await begun;
  // As another process would: with a handle of its own.
  const lane = await openMailAgent(wrapStorage(storage, {}), { file, toolPolicy: oneByOne, look: looks });
  expect(await lane.activate()).toMatchObject({ result: { status: "completed" } });
  expect(await results(lane)).toEqual([["mail", false, "sent"], unknown]);
  expect([effectsOf(file, "mail"), effectsOf(file, "look")]).toEqual([1, 1]);
});

async function leave(storage: Storage, look: () => Promise<never>): Promise<void> {
  // As another process would: with a handle of its own.
  const lane = await openMailAgent(wrapStorage(storage, {}), { file, toolPolicy: oneByOne, look });
  await lane.accept({ prompt: "Send the mail" });
  await lane.activate();
}
