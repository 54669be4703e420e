/**
 * A process that streams the answer onto one session after another, in the folder named by its argument, and tells of
 * each. Its parent limits the size of the files that it may write.
 */
import { existsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { HarnessFault, StorageFailed } from "../../errors.ts";
import type { Durability } from "../../storage/contract/storage.ts";
import { SqliteStorage } from "../../storage/sqlite/sqlite.ts";
import type { Journal } from "./journal.ts";
import type { Life } from "./life.ts";
import { copyDead, descriptorsOf, padding, redirect, type ToldLife } from "./sqlite-disk.ts";
import { committedAt, Streaming } from "./streaming.ts";

const [folder = "", ...modes] = process.argv.slice(2);

/** With so many, and the whole answer, a log is within the limit, and with a few more it is not. */
const pagesInLog = 34;
/** With so many after the first padding, a file is within the limit, and with the answer it is not. */
const pagesInFile = 35;

/** A session that is to be streamed onto, in a folder of all such sessions. */
type Subject = Omit<ToldLife, "dead" | "life">;

/** Opens a session that is as long as it should be. Each padding is in the file, and only the last one in the log. */
async function openPadded({ path, paddings }: Subject, durability: Durability): Promise<SqliteStorage> {
  const open = () => SqliteStorage.open(path, { durability, now: () => committedAt });
  let storage = await open();
  for (const [index, pages] of paddings.entries()) {
    if (index > 0) {
      await storage.close();
      storage = await open();
    }
    await storage.commit(padding(pages));
  }
  return storage;
}

/** Streams onto an open session, and tells of it. */
async function live(
  subject: Subject,
  storage: SqliteStorage,
  armed: (journal: Journal) => void = () => {},
  healed: () => void = () => {},
): Promise<Life> {
  const streaming = new Streaming(storage);
  const life = await streaming.run({ armed: () => armed(streaming.journal) });
  const dead = copyDead(subject.path);
  healed();
  await streaming.close();
  tell({ ...subject, dead, life });
  return life;
}

function tell(told: ToldLife): void {
  const line = Buffer.from(`${JSON.stringify(told)}\n`);
  for (let written = 0; written < line.length; ) written += writeSync(1, line, written);
}

/** The log of each session has one page less to go than that of the one before, until the first frame is too much. */
async function limitedLogs(): Promise<void> {
  try {
    for (let pages = pagesInLog; ; pages++) {
      const subject = { fault: "limit", path: join(folder, `log-${pages}`), paddings: [pages] } as const;
      await live(subject, await openPadded(subject, "process"));
    }
  } catch (error) {
    if (!(error instanceof HarnessFault || error instanceof StorageFailed)) throw error;
  }
}

/** Each session has one page more to go until its checkpoint is too much, until none is. */
async function limitedCheckpoints(): Promise<void> {
  for (let pages = pagesInFile, failed = true; failed; pages--) {
    const path = join(folder, `checkpoint-${pages}`);
    const subject = { fault: "checkpoint", path, paddings: [40, pages, 0] } as const;
    await live(subject, await openPadded(subject, "process"));
    failed = existsSync(`${path}-wal`);
  }
}

/** From the `at`-th physical commit on the log is another file: one that takes nothing, or one that cannot be synced. */
async function redirectedLogs(fault: "ENOSPC" | "sync", target: string): Promise<void> {
  for (let at = 1, failed = true; failed; at++) {
    const subject = { fault, path: join(folder, `${fault}-${at}`), paddings: [0] };
    const log = `${subject.path}-wal`;
    let descriptors: readonly number[] = [];
    const armed = (journal: Journal) => {
      let left = at;
      journal.onGroup = () => {
        if (--left !== 0) return;
        descriptors = descriptorsOf(log);
        for (const descriptor of descriptors) redirect(descriptor, target);
      };
    };
    const healed = () => {
      for (const descriptor of descriptors) redirect(descriptor, log);
    };
    const life = await live(subject, await openPadded(subject, "power"), armed, healed);
    failed = life.fault !== undefined;
  }
}

for (const mode of modes) {
  if (mode === "logs") await limitedLogs();
  else if (mode === "checkpoints") await limitedCheckpoints();
  else {
    await redirectedLogs("ENOSPC", "/dev/full");
    await redirectedLogs("sync", "/dev/null");
  }
}
