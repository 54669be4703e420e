/** A counterexample as a file: everything that `durability replay` needs to run the same schedule again. */
import { createHash } from "node:crypto";
import { type BoundsName, boundsByName, type RequirementId, requirements } from "../../machines/index.ts";
import { type ContentName, contentNames } from "../contents/catalogue.ts";
import { UsageError } from "../errors.ts";
import type { Graph } from "../explore/graph.ts";
import type { InsidePurpose } from "../generate/schedule.ts";
import { type StoreName, storeNames } from "../stores/named-stores.ts";
import { labelsOf } from "./labels.ts";
import type { StreamName } from "./subject.ts";
import type { Divergence } from "./tally.ts";

const kind = "assistant-durability counterexample";

/** One schedule that shows a divergence, and the divergence that it shows. */
export interface Counterexample {
  readonly kind: typeof kind;
  readonly version: 1;
  /** Identifies the graph that the schedule is a path of. */
  readonly machine: { readonly name: "operation"; readonly digest: string };
  readonly bounds: BoundsName;
  readonly sut: string;
  readonly store: StoreName;
  /** The recorded content that the provider said. */
  readonly stream?: StreamName;
  readonly requirement: RequirementId;
  readonly schedule: readonly string[];
  /** The last step of the schedule is crashed at this internal commit of the harness. */
  readonly inside?: InsidePurpose;
  /** The content that its first request streams; each later one has the next of the catalogue. */
  readonly content?: ContentName;
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
}

/** What a divergence was found on. */
export interface FoundOn extends Pick<Counterexample, "bounds" | "sut" | "store" | "stream"> {
  readonly graph: Graph;
}

export function counterexampleOf(
  { graph, bounds, sut, store, stream }: FoundOn,
  { mismatch, schedule, inside, content }: Pick<Divergence, "mismatch" | "schedule" | "inside" | "content">,
): Counterexample {
  return {
    kind,
    version: 1,
    machine: { name: "operation", digest: digestOf(graph) },
    bounds,
    sut,
    store,
    ...(stream !== undefined && { stream }),
    requirement: mismatch.requirement,
    schedule: labelsOf(graph, schedule),
    ...(inside !== undefined && { inside }),
    ...(content !== undefined && { content: contentNames[content] as ContentName }),
    field: mismatch.field,
    expected: mismatch.expected,
    actual: mismatch.actual,
  };
}

const digests = new WeakMap<Graph, string>();

/** A fingerprint of the reachable graph: another machine, or other bounds, give another one. */
export function digestOf(graph: Graph): string {
  const digest = digests.get(graph) ?? newDigest(graph);
  digests.set(graph, digest);
  return digest;
}

function newDigest(graph: Graph): string {
  const hash = createHash("sha256");
  for (const node of graph.nodes) hash.update(node.key);
  for (const edge of graph.edges) hash.update(`${edge.from} ${edge.action} ${edge.to} ${JSON.stringify(edge.effects)}`);
  return hash.digest("hex").slice(0, 16);
}

/**
 * Read a counterexample.
 *
 * @param source the name of the text, for what is said about it.
 * @throws {UsageError} when the text is no counterexample, or one of another version.
 */
export function parseCounterexample(text: string, source: string): Counterexample {
  let value: Partial<Counterexample> | null;
  try {
    value = JSON.parse(text) as Partial<Counterexample> | null;
  } catch {
    throw new UsageError(`${source} is not JSON. Give a counterexample file that "durability verify --out DIR" wrote.`);
  }
  if (typeof value !== "object" || value?.kind !== kind) {
    throw new UsageError(`${source} is not a counterexample. Give a file that "durability verify --out DIR" wrote.`);
  }
  if (value.version !== 1) {
    throw new UsageError(
      `${source} has counterexample version ${String(value.version)}; this program reads version 1.`,
    );
  }
  if (typeof value.bounds !== "string" || !Object.hasOwn(boundsByName, value.bounds)) {
    throw new UsageError(
      `${source} names the bounds "${String(value.bounds)}"; known are ${Object.keys(boundsByName).join(", ")}.`,
    );
  }
  assertComplete(value, source);
  return value as Counterexample;
}

function assertComplete(value: Partial<Counterexample>, source: string): void {
  if (typeof value.requirement === "string" && !Object.hasOwn(requirements, value.requirement)) {
    throw new UsageError(`${source} names the requirement "${value.requirement}", which is none.`);
  }
  if (typeof value.store === "string" && !storeNames.includes(value.store)) {
    throw new UsageError(`${source} names the store "${value.store}"; known are ${storeNames.join(", ")}.`);
  }
  if (value.content !== undefined && !contentNames.includes(value.content)) {
    throw new UsageError(`${source} names the content "${value.content}"; known are ${contentNames.join(", ")}.`);
  }
  const complete =
    Array.isArray(value.schedule) &&
    value.schedule.every((label) => typeof label === "string") &&
    [value.sut, value.store, value.field, value.expected, value.actual, value.requirement, value.machine?.digest].every(
      (part) => typeof part === "string",
    );
  if (!complete)
    throw new UsageError(
      `${source} lacks a part of a counterexample. Write it anew with "durability verify --out DIR".`,
    );
}

/** @throws {UsageError} when the schedule of a counterexample is a path of another graph. */
export function assertSameMachine(counterexample: Counterexample, graph: Graph, source: string): void {
  const digest = digestOf(graph);
  if (counterexample.machine.digest !== digest) {
    throw new UsageError(
      `${source} was found on another machine (${counterexample.machine.digest}, this one is ${digest}). Run "durability verify" again.`,
    );
  }
}
