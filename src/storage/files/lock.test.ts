/** One writer at a time, in this process and in others (A13). */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SessionLocked, StorageFailed } from "../../errors.ts";
import { words } from "../../testing/jsonl/sessions.ts";
import { appendList } from "../contract/writes.ts";
import { JsonlStorage } from "../jsonl/jsonl.ts";
import { lockSession } from "./lock.ts";

const loader = ["--import", "tsx"];
const holder = fileURLToPath(new URL("../../testing/jsonl/lock-holder.ts", import.meta.url));

describe("the one writer of a session", () => {
  let folder: string;
  let path: string;
  const children: ChildProcess[] = [];
  const open = (at = path) => JsonlStorage.open(at, { durability: "process" });

  /** Another process that has the session open. */
  async function otherProcess(): Promise<ChildProcess> {
    const child = fork(holder, [path], { execArgv: loader });
    children.push(child);
    const [said] = await Promise.race([once(child, "message"), once(child, "exit")]);
    expect(said).toBe("open");
    return child;
  }

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "jsonl-lock-")));
    path = join(folder, "session.jsonl");
  });

  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true });
  });

  test("a second open in the same process is refused, until the first is closed", async () => {
    const first = await open();
    await expect(open()).rejects.toThrow(SessionLocked);
    await expect(open()).rejects.toMatchObject({ path });
    await first.commit([appendList(words, "x")]);
    await first.close();
    await (await open()).close();
  });

  test("[A13] a close lets go at once, though another thread is starting processes", async () => {
    const starting = new Worker(
      `const { spawn } = require("node:child_process");
       const again = () => spawn(process.execPath, ["--version"]).on("close", again);
       again();`,
      { eval: true },
    );
    try {
      await once(starting, "online");
      const place = { path, identity: path };
      for (let time = 0; time < 1_500; time++) await (await lockSession(place)).release();
    } finally {
      await starting.terminate();
    }
  });

  test("kill lets go at once, whether or not anybody waits for it", async () => {
    const first = await open();
    void first.kill();
    const second = await open();
    await expect(open()).rejects.toThrow(SessionLocked);
    await first.kill();
    await first.close();
    await expect(open()).rejects.toThrow(SessionLocked);
    await second.close();
  });

  test("while another process has it open it is refused, and readable; when that one is killed it is free at once", async () => {
    const child = await otherProcess();
    await expect(open()).rejects.toThrow(SessionLocked);
    const reader = await JsonlStorage.open(path, { readOnly: true });
    expect(await reader.readList(words)).toHaveLength(1);
    child.kill("SIGKILL");
    await once(child, "exit");
    const storage = await open();
    expect(await storage.readList(words)).toHaveLength(1);
    await storage.close();
    await reader.close();
  });

  test("when another process closes it, it is free, and that process ends by itself", async () => {
    const child = await otherProcess();
    child.send("close");
    await once(child, "exit");
    expect(child.exitCode).toBe(0);
    await (await open()).close();
  });

  test("an open session does not keep its process alive", () => {
    const module = new URL("../jsonl/jsonl.ts", import.meta.url).href;
    const script = `const { JsonlStorage } = await import(${JSON.stringify(module)});
      globalThis.kept = await JsonlStorage.open(${JSON.stringify(path)});`;
    const ended = spawnSync(process.execPath, [...loader, "--input-type=module", "-e", script], { timeout: 60_000 });

    expect(ended.stderr.toString()).toBe("");
    expect(ended.status).toBe(0);
  });

  test("it holds over compaction, which replaces the file", async () => {
    const first = await open();
    await first.commit([appendList(words, "x")]);
    await first.compact();
    await expect(open()).rejects.toThrow(SessionLocked);
    await first.close();
  });

  test("it holds through symbolic links to the file and to its folder, which stay links", async () => {
    const elsewhere = join(folder, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(folder, join(elsewhere, "folder"));
    symlinkSync(path, join(elsewhere, "file"));
    const first = await open();
    await expect(open(join(elsewhere, "folder", "session.jsonl"))).rejects.toThrow(SessionLocked);
    await expect(open(join(elsewhere, "file"))).rejects.toThrow(SessionLocked);
    await first.close();
    const linked = await open(join(elsewhere, "file"));
    await linked.commit([appendList(words, "x")]);
    await linked.compact();
    await linked.close();
    expect(readdirSync(elsewhere, { withFileTypes: true }).every((entry) => entry.isSymbolicLink())).toBe(true);
    const again = await open();
    expect(await again.readList(words)).toHaveLength(1);
    await again.close();
  });

  test("sessions beside each other are independent, and nothing but sessions is left in the folder", async () => {
    const others = await Promise.all(["a", "b"].map((name) => open(join(folder, name))));
    await Promise.all(others.map((storage) => storage.commit([appendList(words, "x")])));
    await Promise.all(others.map((storage) => storage.compact()));
    await Promise.all(others.map((storage) => storage.close()));

    expect(readdirSync(folder).sort()).toEqual(["a", "b"]);
  });

  test("a folder that does not exist, and one in the place of the file, are refused with typed errors", async () => {
    await expect(open(join(folder, "none", "session"))).rejects.toThrow(StorageFailed);
    await expect(open(folder)).rejects.toMatchObject({ code: "not_a_session" });
  });
});
