/** The storage cases of pi-agent-core, on each store (A8). */
import { join } from "node:path";
import {
  type SessionMetadata,
  type SessionRepo,
  StorageBackedSession,
  type Storage as TheirStorage,
} from "@earendil-works/pi-agent-core/harness/session";
import {
  createSessionRepoMessageConformance,
  createSessionRepoOwnershipConformance,
  createStorageConformance,
} from "@earendil-works/pi-agent-core/harness/session/testing";
import { afterAll, describe, expect, test } from "vitest";
import { fileStores, stores, type TestedFileStore, temporaryFolder } from "../../testing/storage/stores.ts";

const folders: ReturnType<typeof temporaryFolder>[] = [];
const newFolder = () => {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder.path;
};

afterAll(() => {
  for (const folder of folders) folder.remove();
});

interface Case {
  readonly group: string;
  readonly name: string;
  run(): Promise<void>;
}

const named = (cases: readonly Case[]) => cases.map((one) => [`${one.group}: ${one.name}`, one] as const);

describe.each(stores)("[A8] the $name store keeps pi-agent-core's storage contract", ({ openIn }) => {
  const cases = createStorageConformance(async () => {
    const ours = await openIn(newFolder(), Date.now);
    // The annotation is a check too: a store of ours is a store of theirs.
    const storage: TheirStorage = ours;
    return { storage, [Symbol.asyncDispose]: () => ours.close() };
  });

  test("all of its cases are here", () => {
    expect(cases).toHaveLength(21);
  });

  test.each(named(cases))("%s", async (_name, one) => {
    await one.run();
  });
});

/**
 * Of the cases for whole repositories only those fit that need nothing but a session to create or to open again: listing,
 * deleting and forking sessions are not calls of a store.
 */
function repositoryIn(folder: string, store: TestedFileStore): Pick<SessionRepo, "create" | "open"> {
  const open = async (metadata: SessionMetadata) => {
    const storage = await store.open(join(folder, metadata.id), Date.now);
    return new StorageBackedSession(metadata, storage);
  };
  return { open, create: ({ id = "session" }) => open({ id, createdAt: 0, storageVersion: 1 }) };
}

describe.each(fileStores)("[A8] the $name store under pi-agent-core's sessions", (store) => {
  const factory = async () => repositoryIn(newFolder(), store);
  const cases = [...createSessionRepoMessageConformance(factory), ...createSessionRepoOwnershipConformance(factory)];

  test("all of the cases that fit are here", () => {
    expect(cases).toHaveLength(3);
  });

  test.each(named(cases))("%s", async (_name, one) => {
    await one.run();
  });
});
