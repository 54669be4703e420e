/** Finds the system under test and its store by their names on the command line. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Bounds, type BoundsName, boundsFor } from "../../machines/index.ts";
import { readFixture } from "../../src/index.ts";
import type { Adapter } from "../adapters/adapter.ts";
import type { KnownDivergence } from "../adapters/known-divergence.ts";
import { piAgentCore } from "../adapters/pi-agent-core/adapter.ts";
import { piDivergences } from "../adapters/pi-agent-core/divergences.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import type { Sayings } from "../contents/beat.ts";
import type { ContentName } from "../contents/catalogue.ts";
import { recordedSayings } from "../contents/recorded.ts";
import type { Subject } from "../drive/run.ts";
import { UsageError } from "../errors.ts";
import { openStores, type StoreName } from "../stores/named-stores.ts";

/** Recorded content that the provider says instead of its own. */
export interface StreamName {
  /** A replay fixture. */
  readonly file: string;
  /** Which parts of it come first. */
  readonly seed: number;
}

export interface SubjectName {
  /** `reference`, `pi-agent-core`, or the path of a module whose default export is an {@link Adapter}. */
  readonly sut: string;
  readonly store: StoreName;
  /** Where a store in a file has its files. Default: a temporary folder, removed by `dispose` or at the end of the process. */
  readonly folder?: string;
  readonly stream?: StreamName;
}

export interface NamedSubject extends Subject {
  readonly known: readonly KnownDivergence[];
  readonly leftOut: readonly ContentName[];
  readonly folder?: string;
  /** Removes what the stores have left behind. */
  dispose(): void;
}

/**
 * @throws {UsageError} when there is no such subject or store, or when it cannot be used here.
 */
export async function loadSubject({ sut, store, folder, stream }: SubjectName): Promise<NamedSubject> {
  const subject = await findSubject(sut);
  const said = stream === undefined ? {} : { sayings: await loadSayings(stream) };
  return { ...subject, leftOut: leftOutBy(subject.known), ...said, ...(await openStores(store, folder)) };
}

/** The bounds of the graph that a harness is driven through: a harness that does not serve Q6 faults at a defect (B3). */
export const boundsOf = (name: BoundsName, { adapter }: Subject): Bounds =>
  boundsFor(name, adapter.serves?.includes("Q6") ? "response" : "harness");

/** The contents that only schedules of a listed divergence stream. */
export const leftOutBy = (known: readonly KnownDivergence[]): readonly ContentName[] =>
  known.flatMap(({ leftOut }) => leftOut ?? []);

async function loadSayings({ file, seed }: StreamName): Promise<Sayings> {
  try {
    return recordedSayings(await readFixture(file), seed);
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--stream ${file}: ${what}. Give a fixture that "durability record" or a recorder wrote.`);
  }
}

async function findSubject(sut: string): Promise<{ adapter: Adapter; known: readonly KnownDivergence[] }> {
  if (sut === "reference") return { adapter: referenceAdapter, known: [] };
  if (sut === "pi-agent-core") return { adapter: await piAgentCore(), known: piDivergences };
  return loadModule(sut);
}

/** Node before 22.18 cannot import TypeScript: then tsx does, when it is installed. */
export async function importModule(file: string): Promise<unknown> {
  const { href } = pathToFileURL(file);
  try {
    return await import(href);
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error) || error.code !== "ERR_UNKNOWN_FILE_EXTENSION") throw error;
  }
  const { tsImport } = await import("tsx/esm/api").catch(() => {
    throw new Error(
      "this Node.js cannot import TypeScript: npm install --save-dev tsx, use Node 22.18, or give a .js file",
    );
  });
  return tsImport(href, import.meta.url);
}

async function loadModule(path: string): Promise<{ adapter: Adapter; known: readonly KnownDivergence[] }> {
  const file = resolve(path);
  if (!existsSync(file)) {
    throw new UsageError(
      `Unknown system under test "${path}": neither reference, pi-agent-core, nor the path of a module.`,
    );
  }
  let loaded: { default?: Partial<Adapter>; knownDivergences?: readonly KnownDivergence[] };
  try {
    loaded = (await importModule(file)) as typeof loaded;
  } catch (error) {
    throw new UsageError(
      `The adapter module ${path} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const adapter = loaded.default;
  const complete =
    typeof adapter?.name === "string" &&
    typeof adapter.version === "string" &&
    typeof adapter.boot === "function" &&
    typeof adapter.finalizeOffline === "function";
  if (!complete) {
    throw new UsageError(
      `The module ${path} has no adapter as its default export: an object with name, version, boot and finalizeOffline.`,
    );
  }
  return { adapter: adapter as Adapter, known: loaded.knownDivergences ?? [] };
}
