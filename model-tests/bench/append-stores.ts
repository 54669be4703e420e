/** The stores whose appends are measured, all opened alike. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { AssistantMessageFrame } from "@earendil-works/pi-ai";
import {
  appendList,
  type Durability,
  type FileStoreName,
  fileStoreNamed,
  MemoryStorage,
  pendingAssistantFrames,
  type Storage,
} from "../../src/index.ts";
import { countedFiles } from "./counted-files.ts";
import type { System } from "./measurement.ts";
import type { Installed } from "./options.ts";
import { newPiFileSession, newPiMemorySession, type PiSystem, piStoreOf } from "./pi-system.ts";

export interface AppendStore {
  readonly subject: string;
  readonly system: System;
  /** Which of pi's it stands beside. */
  readonly peer?: string;
  readonly onDisk: boolean;
  readonly inSqlite?: boolean;
  /** Makes an empty session in a folder of its own. */
  open(folder: string): Promise<OpenStore>;
}

export interface OpenStore {
  /** Appends one frame of a response, in a transaction of its own. */
  append(response: string, frame: AssistantMessageFrame): Promise<unknown>;
  close(): Promise<void>;
  /** What the file takes, once closed; 0 in memory. */
  size(): number;
  /** Physical writes and fsyncs so far, where the store's file layer can be counted. */
  counts?(): { readonly writes: number; readonly syncs: number };
}

const peers = { memory: "pi memory", file: "pi jsonl" } as const;

/** How the physical writes of a store are counted: below its file layer, or as the COMMITs of SQLite. */
const counting: Readonly<Record<FileStoreName, "files" | "commits">> = { jsonl: "files", sqlite: "commits" };

/** Without what is not installed here. */
export function appendStores({ pi, stores }: Installed): AppendStore[] {
  return [
    {
      ...ofThisProject("memory", peers.memory, false),
      open: async () => ofStorage(new MemoryStorage()),
    },
    ...stores.flatMap((name) => [own(name, "process"), own(name, "power")]),
    ...(pi === undefined ? [] : [piMemory(pi), piJsonl(pi)]),
  ];
}

const ofThisProject = (subject: string, peer: string, onDisk: boolean) =>
  ({ subject, system: "assistant-durability", peer, onDisk }) as const;

function own(name: FileStoreName, durability: Durability): AppendStore {
  return {
    ...ofThisProject(`${name} ${durability}`, peers.file, true),
    inSqlite: counting[name] === "commits",
    open: async (folder) => {
      const path = join(folder, "session");
      const { files, counts } = countedFiles();
      const byFiles = counting[name] === "files";
      const storage = await fileStoreNamed(name).open(path, { durability, ...(byFiles && { files }) });
      const before = { ...counts };
      return {
        ...ofStorage(storage),
        size: () => statSync(path).size,
        ...(byFiles && {
          counts: () => ({ writes: counts.writes - before.writes, syncs: counts.syncs - before.syncs }),
        }),
      };
    },
  };
}

function piMemory(system: PiSystem): AppendStore {
  return {
    subject: peers.memory,
    system: "pi-agent-core",
    onDisk: false,
    open: async () => ofPi(system, await newPiMemorySession(system)),
  };
}

function piJsonl(system: PiSystem): AppendStore {
  return {
    subject: peers.file,
    system: "pi-agent-core",
    onDisk: true,
    open: async (folder) => {
      const { session, metadata, writes } = await newPiFileSession(system, folder);
      return {
        ...ofPi(system, session),
        size: () => statSync(metadata.path).size,
        // Its file layer has no fsync.
        counts: () => ({ writes: writes(), syncs: 0 }),
      };
    },
  };
}

function ofStorage(storage: Storage): OpenStore {
  return {
    append: (response, frame) => storage.commit([appendList(pendingAssistantFrames("operation", response), frame)]),
    close: () => storage.close(),
    size: () => 0,
  };
}

function ofPi({ pi }: PiSystem, session: Parameters<typeof piStoreOf>[0]): OpenStore {
  const storage = piStoreOf(session);
  const context = pi.BACKGROUND_CONTEXT;
  return {
    append: (response, frame) =>
      storage.commit([pi.appendList(pi.pendingAssistantFrames("operation", response), frame)], context),
    close: () => session.close(context),
    size: () => 0,
  };
}
