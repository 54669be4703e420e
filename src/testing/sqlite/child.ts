/** A process that commits until it is killed, and tells each reply. */
import { writeSync } from "node:fs";
import { list } from "../../addresses/address.ts";
import { DurabilityError } from "../../errors.ts";
import { appendList } from "../../storage/contract/writes.ts";
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

const [mode, path = "", queued = "1"] = process.argv.slice(2);
await (mode === "write" ? write(path, Number(queued)) : open(path));
