/** What a state of the operation machine predicts about an implementation: the oracle's half of every comparison. */
import type { SnapshotFrom, StateValue, StateValueFrom } from "xstate";
import type { CommitName, ToolName } from "../vocabulary.ts";
import type { operationMachine } from "./machine.ts";
import type { Durable, Parked } from "./rules/context.ts";

/** A state of the operation machine. */
export type OperationSnapshot = SnapshotFrom<typeof operationMachine>;

type PathOf<V> = V extends string
  ? V
  : { [K in keyof V & string]: `${K}.${PathOf<NonNullable<V[K]>>}` }[keyof V & string];

/** A place of the operation machine as a dotted path: `up.effect_pending.streaming`. A path that is none does not compile. */
export type OperationPath = PathOf<StateValueFrom<typeof operationMachine>>;

/** Such a path without the parent of a living process. */
export type PlaceName = OperationPath extends infer P ? (P extends `up.${infer Name}` ? Name : P) : never;

/** Where `streamingMessage` comes from (I1); `either` where the stream has ended but its settlement has not. */
export type StreamingSource = "live" | "durable" | "either" | "absent";

/** What a state predicts about an implementation. */
export interface Expected {
  readonly process: "up" | "crashed" | "closed" | "faulted";
  readonly durable: Durable;
  /** Commits on the session line; what waits at the store is a prefix of it, and never empty when it is not. */
  readonly line: readonly CommitName[];
  readonly landed: number;
  /** Whether a drive is attached to the open operation. */
  readonly drive: boolean;
  readonly parked: Parked;
  /** The calls that run. */
  readonly running: readonly ToolName[];
  readonly snapshot: { readonly open: boolean; readonly streaming: StreamingSource };
}

/**
 * What the specification predicts to be seen in a state.
 *
 * @returns what `state` predicts.
 */
export function project(state: OperationSnapshot): Expected {
  const { durable, line, drive, parked, running } = state.context;
  const path = pathOf(state.value);
  return {
    process: processOf(path),
    durable,
    line: line.map((item) => item.commit),
    landed: line.filter((item) => item.landed).length,
    drive,
    parked,
    running,
    snapshot: { open: isOpen(path), streaming: streamingSource(path, durable) },
  };
}

/** A state value as a dotted path: `up.effect_pending.streaming`. */
export function pathOf(value: StateValue): string {
  if (typeof value === "string") return value;
  return Object.entries(value)
    .map(([name, child]) => (child === undefined ? name : `${name}.${pathOf(child)}`))
    .join(",");
}

/** The same path without the parent that every state of a living process shares. */
export const stateName = (path: string): string => path.replace(/^up\./, "");

function processOf(path: string): Expected["process"] {
  if (path === "crashed" || path === "closed" || path === "faulted") return path;
  return "up";
}

const idlePlaces: readonly string[] = [
  "up.idle",
  "up.accepting",
  "up.settled",
  "up.cancelled.done",
  "up.finalized",
] satisfies readonly OperationPath[];

const isOpen = (path: string): boolean => path.startsWith("up.") && !idlePlaces.includes(path);

/** A phase of a response: the last word of its path. */
type Phase = PlaceName extends infer P ? (P extends `effect_pending.${infer Name}` ? Name : never) : never;

/** The stream has ended, its response is not settled: who still holds the partial is the harness's own affair. */
const streamEnded: readonly string[] = ["awaiting_writes", "after_response", "settling"] satisfies readonly Phase[];

function streamingSource(path: string, durable: Durable): StreamingSource {
  if (durable.at !== "effect_pending" && durable.at !== "deferred.effect_pending") return "absent";
  const phase = path.slice(path.lastIndexOf(".") + 1);
  if (phase === "streaming") return "live";
  return streamEnded.includes(phase) ? "either" : "durable";
}

/** Whether the lane is idle or suspended and nothing is under way: where a schedule may rest (N13). */
export function isResting(state: OperationSnapshot): boolean {
  const path = pathOf(state.value);
  const atRest = path === "up.deferred.suspended" || (path !== "up.accepting" && idlePlaces.includes(path));
  return atRest && state.context.line.length === 0;
}
