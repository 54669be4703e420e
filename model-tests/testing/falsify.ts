/** Stores other values than a harness hands over: one field of every row, each time wrong in the same way. */
import { type Storage, type Write, wrapStorage } from "../../src/index.ts";
import type { Adapter, Surroundings } from "../adapters/adapter.ts";

/** The leaves of a value by their paths; elements of an array share one. */
function* leavesOf(value: unknown, path: string): Generator<string> {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    yield path;
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) yield* leavesOf(member, Array.isArray(value) ? `${path}[]` : `${path}.${name}`);
  }
}

/** The same value with another one at each leaf of this path. */
function falsified(value: unknown, path: string, wanted: string): unknown {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    return path === wanted ? another(value) : value;
  }
  if (Array.isArray(value)) return value.map((element) => falsified(element, `${path}[]`, wanted));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      member === undefined ? member : falsified(member, `${path}.${name}`, wanted),
    ]),
  );
}

function another(value: unknown): unknown {
  if (typeof value === "number") return value + 7;
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return ["wrong"];
  return typeof value === "object" && value !== null ? { wrong: true } : "wrong";
}

const stateOf = (value: unknown): string => {
  const at = typeof value === "object" && value !== null && "at" in value ? value.at : undefined;
  return typeof at === "string" ? ` ${at}` : "";
};

/** What a write stores, and the name of its kind. */
function storedBy(write: Write): { readonly kind: string; readonly value: unknown } | undefined {
  switch (write.kind) {
    case "entry":
      return { kind: `entry ${"message" in write.entry ? write.entry.message.role : ""}`, value: write.entry };
    case "usage":
      return { kind: "usage", value: write.row };
    case "value":
      return write.op === "set" ? { kind: `${write.namespace}${stateOf(write.value)}`, value: write.value } : undefined;
    case "list":
      return write.op === "append" ? { kind: `${write.namespace} element`, value: write.value } : undefined;
  }
}

function withValue(write: Write, value: unknown): Write {
  if (write.kind === "entry") return { ...write, entry: value } as Write;
  if (write.kind === "usage") return { ...write, row: value } as Write;
  return { ...write, value } as Write;
}

/** The leaves of everything that these writes store. */
export const leavesStored = (writes: readonly Write[]): string[] =>
  writes.flatMap((write) => {
    const stored = storedBy(write);
    return stored === undefined ? [] : [...leavesOf(stored.value, stored.kind)];
  });

/** The adapter of a harness whose writes are changed on their way to the store. */
export function withWrites(adapter: Adapter, change: (writes: Write[]) => Write[]): Adapter {
  const behind = (storage: Storage): Storage =>
    wrapStorage(storage, { commit: (writes) => storage.commit(change(writes)) });
  return {
    ...adapter,
    boot: (surroundings) => adapter.boot({ ...surroundings, storage: behind(surroundings.storage) }),
  };
}

/** Something that is told or asked for, by its kind. Answers what is handed on instead of it. */
export type Change = <T>(kind: string, value: T) => T;

/** The leaves of a value of some kind. */
export const leavesIn = (kind: string, value: unknown): string[] => [...leavesOf(value, kind)];

/** Another value at this leaf, wherever it is told or asked for. */
export const changing =
  (leaf: string): Change =>
  (kind, value) =>
    leaf.startsWith(kind) ? (falsified(value, kind, leaf) as typeof value) : value;

/** The adapter of a harness whose events, requests, hook calls and tool calls are changed on their way. */
export function withWords(adapter: Adapter, change: Change): Adapter {
  const changed = (surroundings: Surroundings): Surroundings => ({
    ...surroundings,
    models: {
      ...surroundings.models,
      streamSimple: (model, context, options) => {
        const messages = change("request messages", context.messages);
        return surroundings.models.streamSimple(model, { ...context, messages }, options);
      },
    },
    afterResponse: (message) => surroundings.afterResponse(change("after_response", message)),
    runTool: (call) => surroundings.runTool(change("tool call", call)),
    deliver: (event, lane) =>
      surroundings.deliver(
        event.told === undefined ? event : { ...event, told: change(`event ${event.name}`, event.told) },
        lane,
      ),
  });
  return { ...adapter, boot: (surroundings) => adapter.boot(changed(surroundings)) };
}

/** Every write of a list with another value at this leaf. */
export const falsifying =
  (leaf: string) =>
  (writes: Write[]): Write[] =>
    writes.map((write) => {
      const stored = storedBy(write);
      return stored === undefined || !leaf.startsWith(stored.kind)
        ? write
        : withValue(write, falsified(stored.value, stored.kind, leaf));
    });
