/** The fork cases of pi-agent-core, on each store (L1). */
import {
  type ForkOptions,
  type SessionMetadata,
  type SessionRepo,
  StorageBackedSession,
} from "@earendil-works/pi-agent-core/harness/session";
import {
  createSessionRepoForkBehaviorConformance,
  createSessionRepoForkSourceSnapshotConformance,
  createSessionRepoStreamingForkConformance,
} from "@earendil-works/pi-agent-core/harness/session/testing";
import { describe, expect, test } from "vitest";
import { MemoryStorage } from "../storage/memory/memory.ts";
import { foldersOfTests } from "../testing/maintenance/new-sessions.ts";
import { type Source, stores, type TestedStore } from "../testing/storage/stores.ts";
import { forkSession } from "./fork.ts";

const { newFolder } = foldersOfTests();

interface Held {
  readonly metadata: SessionMetadata;
  readonly folder: string;
  readonly storage: Source;
  closed: boolean;
}

/** As much of a repository as its fork cases need, over one kind of store. */
class Repository implements Pick<SessionRepo, "create" | "list" | "fork"> {
  readonly #kind: TestedStore;
  readonly #sessions = new Map<string, Held>();

  constructor(kind: TestedStore) {
    this.#kind = kind;
  }

  async create({ id = "session" }: { id?: string }): Promise<StorageBackedSession> {
    const folder = newFolder();
    const storage = await this.#kind.openIn(folder, Date.now);
    return this.#hold({ id, createdAt: 0, storageVersion: 1 }, folder, storage);
  }

  async list(): Promise<SessionMetadata[]> {
    return [...this.#sessions.values()].map(({ metadata }) => metadata);
  }

  async fork({ id: sourceId }: SessionMetadata, { id = "fork", ...scope }: ForkOptions): Promise<StorageBackedSession> {
    const held = this.#sessions.get(sourceId) as Held;
    const source = held.closed ? await this.#kind.openIn(held.folder, Date.now) : held.storage;
    const folder = newFolder();
    // What pi does with an open operation is what the option says.
    const options = { ...scope, openOperations: "leaveBehind" as const };
    const storage = await forkSession(source, this.#kind.newIn(folder, Date.now), options);
    if (held.closed) await source.close();
    return this.#hold({ id, createdAt: 0, storageVersion: 1, parentSessionId: sourceId }, folder, storage);
  }

  #hold(metadata: SessionMetadata, folder: string, storage: Source): StorageBackedSession {
    const held: Held = { metadata, folder, storage, closed: false };
    this.#sessions.set(metadata.id, held);
    // What is in memory ends with its handle, which the repository therefore keeps open.
    if (storage instanceof MemoryStorage) storage.close = async () => {};
    const onClose = () => {
      held.closed = !(storage instanceof MemoryStorage);
    };
    return new StorageBackedSession(metadata, storage, { onClose });
  }
}

describe.each(stores)("forks of $name sessions as pi-agent-core's repositories make them", (kind) => {
  const factory = async () => new Repository(kind);
  const cases = [
    ...createSessionRepoForkBehaviorConformance(factory),
    ...createSessionRepoStreamingForkConformance(factory),
    ...createSessionRepoForkSourceSnapshotConformance(factory),
  ];

  test("[L1] all of the cases are here", () => {
    expect(cases).toHaveLength(23);
  });

  test.each(cases.map((one) => [`${one.group}: ${one.name}`, one] as const))("[L1] %s", async (_name, one) => {
    await one.run();
  });
});
