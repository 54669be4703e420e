/** What a state of the operation machine predicts about an implementation: the oracle's half of every comparison. */
import type { SnapshotFrom, StateValue } from "xstate";
import type { Durable, Parked } from "./operation/context.ts";
import type { operationMachine } from "./operation/machine.ts";
import type { CommitName } from "./vocabulary.ts";

export type OperationSnapshot = SnapshotFrom<typeof operationMachine>;

/** Where `streamingMessage` comes from (I1); `either` where the stream has ended but its settlement has not. */
export type StreamingSource = "live" | "durable" | "either" | "absent";

export interface Expected {
  readonly process: "up" | "crashed" | "closed" | "faulted";
  readonly durable: Durable;
  /** Commits on the session line; what waits at the store is a prefix of it, and never empty when it is not. */
  readonly line: readonly CommitName[];
  readonly landed: number;
  /** Whether a drive is attached to the open operation. */
  readonly drive: boolean;
  readonly parked: Parked;
  readonly snapshot: { readonly open: boolean; readonly streaming: StreamingSource };
}

export function project(state: OperationSnapshot): Expected {
  const { durable, line, drive, parked } = state.context;
  const path = pathOf(state.value);
  return {
    process: processOf(path),
    durable,
    line: line.map((item) => item.commit),
    landed: line.filter((item) => item.landed).length,
    drive,
    parked,
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

const idlePlaces = ["up.idle", "up.accepting", "up.settled", "up.cancelled.done", "up.finalized"];

const isOpen = (path: string): boolean => path.startsWith("up.") && !idlePlaces.includes(path);

function streamingSource(path: string, durable: Durable): StreamingSource {
  if (path === "up.effect_pending.streaming") return "live";
  if (path.startsWith("up.effect_pending.") && durable.at === "effect_pending") {
    return path.endsWith("requesting") || path.endsWith("withheld") ? "absent" : "either";
  }
  const restored = path === "up.suspended" || path === "up.recovering" || path === "up.contested";
  if (restored && durable.at === "effect_pending") return "durable";
  return "absent";
}

/** Whether the lane is idle and nothing is under way: where a schedule may rest. */
export function isIdle(state: OperationSnapshot): boolean {
  const path = pathOf(state.value);
  return path !== "up.accepting" && idlePlaces.includes(path) && state.context.line.length === 0;
}
