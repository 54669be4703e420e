/** A process that has a session open: it commits until it is killed, forgets it, or contends for it with others. */
import { rmSync, writeFileSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { list } from "../../addresses/address.ts";
import { DurabilityError } from "../../errors.ts";
import { appendList } from "../../storage/contract/writes.ts";
import { JsonlStorage } from "../../storage/jsonl/jsonl.ts";
import { SqliteStorage } from "../../storage/sqlite/sqlite.ts";

/** Tells the parent at once: what a pipe holds outlives this process. */
const tell = (line: string) => writeSync(1, `${line}\n`);
const codeOf = (error: unknown) => (error instanceof DurabilityError ? error.code : String(error));
const words = list<number>("test.words");
const filling = "x".repeat(300);

/** Commits until the process or the storage dies, `queued` transactions at a time, and tells each that was replied. */
async function write(path: string, queued: number): Promise<void> {
  const storage = await SqliteStorage.open(path, { durability: "process" });
  const commit = async (n: number) => {
    await storage.commit([appendList(words, n), appendList(list("test.filling"), filling)]);
    tell(`replied ${n}`);
  };
  for (let n = 0; ; n += queued) {
    const failed = (await Promise.allSettled(Array.from({ length: queued }, (_, index) => commit(n + index)))).find(
      (outcome) => outcome.status === "rejected",
    );
    if (failed === undefined) continue;
    tell(`failed ${codeOf(failed.reason)}`);
    tell(`then ${await storage.commit([]).catch(codeOf)}`);
    return;
  }
}

async function open(path: string): Promise<void> {
  const storage = await SqliteStorage.open(path).catch(codeOf);
  if (typeof storage === "string") return void tell(storage);
  tell("opened");
  // Lives, and holds the session, until the parent ends it.
  process.stdin.resume();
}

/** Opens the session, keeps no reference to it, and has the memory collected. */
async function forget(path: string): Promise<void> {
  await SqliteStorage.open(path);
  for (let turn = 0; turn < 10; turn++) {
    globalThis.gc?.();
    await nextTurn();
  }
  tell("opened");
  process.stdin.resume();
}

/** What a process may do to a session that it has open, and that must not let another process in. */
const disturbances: readonly ((path: string) => Promise<unknown>)[] = [
  (path) => readFile(path),
  (path) => JsonlStorage.open(path).catch(codeOf),
  (path) => JsonlStorage.open(path, { readOnly: true }).catch(codeOf),
  (path) => SqliteStorage.open(path).catch(codeOf),
  async () => globalThis.gc?.(),
];

/** Opens the session against others `rounds` times. A file that only a holder may have tells of two at once. */
async function contend(path: string, rounds: number): Promise<void> {
  const witness = `${path}.held`;
  for (let round = 0; round < rounds; ) {
    const storage = await SqliteStorage.open(path, { durability: "process" }).catch(codeOf);
    if (typeof storage === "string") {
      if (storage !== "session_locked") throw new Error(storage);
      await nextTurn();
      continue;
    }
    writeFileSync(witness, "", { flag: "wx" });
    for (const disturb of disturbances) {
      await disturb(path);
      await storage.commit([appendList(words, round)]);
    }
    rmSync(witness);
    await storage.close();
    round++;
  }
  tell("done");
}

const [mode, path = "", count = "1"] = process.argv.slice(2);
const modes: Readonly<Record<string, () => Promise<void>>> = {
  write: () => write(path, Number(count)),
  open: () => open(path),
  forget: () => forget(path),
  contend: () => contend(path, Number(count)),
};
await modes[mode ?? ""]?.();
