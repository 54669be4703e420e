/** The table of stores says the truth of each store, and no store of the package is missing from it. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { list, value } from "../addresses/address.ts";
import * as everything from "../index.ts";
import { temporaryFolder } from "../testing/storage/stores.ts";
import { appendList, setValue } from "./contract/writes.ts";
import { fileStoreNamed, fileStoreNames } from "./file-stores.ts";

const words = list<string>("test.words");
let folder: ReturnType<typeof temporaryFolder>;

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(() => folder.remove());

/** The names of the exported classes whose instances are stores. */
const storeClasses = Object.entries(everything).flatMap(([name, exported]) =>
  typeof exported === "function" && "commit" in Object(exported.prototype) ? [name] : [],
);

test("every store that the package exports is the memory store or stands in the table", async () => {
  const opened = fileStoreNames.map(async (name) => {
    const storage = await fileStoreNamed(name).open(join(folder.path, name));
    await storage.close();
    return storage.constructor.name;
  });

  const inTable = await Promise.all(opened);

  expect(storeClasses.toSorted()).toEqual(["MemoryStorage", ...inTable].toSorted());
});

describe.each(fileStoreNames)("the %s store", (name) => {
  const { open, written, beside } = fileStoreNamed(name);
  test("leaves no file but those that the table names", async () => {
    const path = join(folder.path, "session");
    const endings = () => readdirSync(folder.path).map((file) => file.slice("session".length));
    const known = [...written, ...beside];

    const storage = await open(path, { durability: "process" });
    await storage.commit([appendList(words, "a"), setValue(value("test.value"), 1)]);
    expect(known).toEqual(expect.arrayContaining(endings()));
    await storage.compact?.();
    await storage.kill();

    expect(known).toEqual(expect.arrayContaining(endings()));
  });

  test("writes commits to the files that the table names", async () => {
    const path = join(folder.path, "session");
    const size = () => written.reduce((sum, ending) => sum + sizeOf(`${path}${ending}`), 0);
    const storage = await open(path, { durability: "process" });
    const before = size();

    await storage.commit([appendList(words, "x".repeat(100_000))]);

    expect(size()).toBeGreaterThan(before + 100_000 - 1);
    await storage.close();
  });
});

const judged = fileStoreNames.filter((name) => fileStoreNamed(name).defectOf !== undefined);

test.each(judged)("[A11] a damaged session of the %s store is found damaged, and a sound one sound", async (name) => {
  const { open, defectOf } = fileStoreNamed(name);
  const path = join(folder.path, "session");
  const storage = await open(path);
  await storage.commit(Array.from({ length: 500 }, (_, index) => appendList(words, `${index}`.repeat(50))));
  await storage.close();
  const sound = await defectOf?.(path);
  const bytes = readFileSync(path);
  bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 200);
  writeFileSync(path, bytes);

  const damaged = await defectOf?.(path);

  expect(sound).toBeUndefined();
  expect(damaged).toEqual(expect.any(String));
});

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
