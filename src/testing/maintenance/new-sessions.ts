/** Helpers for tests that read and make images. */
import { afterAll } from "vitest";
import { list, value } from "../../addresses/address.ts";
import type { ImageSource, SessionImage, Survivor } from "../../storage/contract/image.ts";
import type { Storage } from "../../storage/contract/storage.ts";
import { appendList, deleteList, deleteValue, setValue, type Write } from "../../storage/contract/writes.ts";
import { note, usage, words } from "../jsonl/sessions.ts";
import { temporaryFolder } from "../storage/stores.ts";

/** All that a session holds, with numbers and timestamps. */
export function everythingIn(source: ImageSource): Promise<{ nextSeq: number; survivors: Survivor[] }> {
  return source.withImage(async (image) => ({ nextSeq: image.nextSeq, survivors: await survivorsOf(image) }));
}

export async function survivorsOf(image: SessionImage): Promise<Survivor[]> {
  const survivors: Survivor[] = [];
  for await (const page of image.pages()) survivors.push(...page);
  return survivors;
}

/** Folders that are gone after the tests of a file. */
export function foldersOfTests(): { newFolder(): string } {
  const folders: ReturnType<typeof temporaryFolder>[] = [];
  afterAll(() => {
    for (const folder of folders) folder.remove();
  });
  return {
    newFolder: () => {
      const folder = temporaryFolder();
      folders.push(folder);
      return folder.path;
    },
  };
}

/** A clock that goes on at every look. */
export const ticking = () => {
  let time = 0;
  return () => ++time;
};

/** More than a page of what stays, with gaps, and things that do not stay. */
export function longSession(): Write[][] {
  const bursts = Array.from({ length: 250 }, (_, index): Write[] => [
    note(`n${index}`, index === 0 ? null : `n${index - 1}`),
    setValue(value<number>("test.count"), index),
    appendList(words, `word ${index}`),
    appendList(list<number>("test.other", String(index)), index),
    appendList(words, "x".repeat(index)),
    ...(index % 3 === 0 ? [usage(`u${index}`), deleteList(list("test.other", String(index - 1)))] : []),
  ]);
  return [...bursts, [deleteValue(value("test.count")), deleteList(list("test.none"))]];
}

export async function commitAll(storage: Storage, all: readonly Write[][]): Promise<void> {
  for (const writes of all) await storage.commit(writes);
}
