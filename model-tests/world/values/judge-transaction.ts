/** Judges every row that a transaction writes, whole. */
import { isDeepStrictEqual } from "node:util";
import type { Write } from "../../../src/index.ts";
import { framesNamespace } from "../commit-names.ts";
import { cite, type Expectation, exactly, free, judge, rule, type WrongAt } from "./expectation.ts";
import { configurationExpected, laneExpected, metaExpected, resultExpected, tipExpected } from "./records.ts";
import { entryExpected, startExpected, usageExpected } from "./rows.ts";
import { stateExpected } from "./state.ts";
import type { StoredMeta, StoredState, Transaction } from "./transaction.ts";

/** @returns the first row that is wrong. */
export function judgeTransaction(transaction: Transaction): WrongAt | undefined {
  let parentId = transaction.tipBefore(laneOf(transaction));
  for (const write of transaction.writes) {
    const row = rowOf(write);
    if (row === undefined) continue;
    const found = judge(expectationOf(transaction, write, parentId), row.value, { requirement: "A2", path: "" });
    if (found !== undefined) return { ...found, place: row.place };
    if (write.kind === "entry") parentId = write.entry.id;
  }
  return tipIsLeftBehind(transaction) ?? isTooEarly(transaction);
}

/** The next attempt does not begin before it is due, whenever the clock has woken who waits for it (O4). */
function isTooEarly({ name, writes, before, nowMs }: Transaction): WrongAt | undefined {
  const state = writes.find((write) => write.kind === "value" && write.namespace === "pi.op.state");
  if (name !== "intent" || state?.kind !== "value") return undefined;
  const { notBefore } = (before.value("pi.op.state", state.key) ?? {}) as { notBefore?: number };
  if (notBefore === undefined || nowMs >= notBefore) return undefined;
  return { requirement: "O4", place: "intent", path: ".time", expected: `not before ${notBefore}`, actual: nowMs };
}

/** The value that a write leaves, and the place where it does; what only deletes leaves none. */
function rowOf(write: Write): { readonly place: string; readonly value: unknown } | undefined {
  switch (write.kind) {
    case "entry":
      return { place: "entry", value: write.entry };
    case "usage":
      return { place: "usage row", value: write.row };
    case "value":
      return write.op === "set" ? { place: write.namespace, value: write.value } : undefined;
    case "list":
      return write.op === "append" && write.namespace === framesNamespace
        ? { place: "frame", value: write.value }
        : undefined;
  }
}

/** The lane that a transaction is about: there is one, or each lane has its own store in the eyes of its world. */
function laneOf({ writes, before }: Transaction): string {
  for (const write of writes) {
    if (write.kind === "value" && (write.namespace === "pi.branch.tip" || write.namespace === "pi.lane.state"))
      return write.key;
  }
  return before.values((namespace) => namespace === "pi.lane.state")[0]?.key ?? "";
}

function expectationOf(transaction: Transaction, write: Write, parentId: string | null): Expectation {
  if (write.kind === "entry") return entryExpected(transaction, write.entry, parentId);
  if (write.kind === "usage") return usageExpected(transaction);
  if (write.kind === "list") return frameExpected(transaction, write);
  if (write.op !== "set") return free("nothing is left");
  const { namespace, key, value } = write;
  switch (namespace) {
    case "pi.branch.tip":
      return tipExpected(transaction, key);
    case "pi.lane.config":
      return configurationExpected;
    case "pi.lane.state":
      return laneExpected(transaction, key);
    case "pi.op.meta":
      return metaExpected(transaction, key, (value as StoredMeta).lane);
    case "pi.op.state":
      return stateExpected(transaction, key, value as StoredState);
    case "pi.result":
      return resultExpected(transaction, key, value as object);
    case "pi.pending.entry":
      return free("it is compared when it becomes an entry");
    default:
      return namespace.startsWith("pi.op.")
        ? free("the harness's own, gone at the end")
        : rule("a place that A2 names", () => false);
  }
}

/** The element is the script's frame at that position (B1, N5). */
function frameExpected({ before, said, writes }: Transaction, write: Extract<Write, { kind: "list" }>): Expectation {
  const response = write.key.slice(write.key.indexOf(":") + 1);
  const earlier = writes
    .slice(0, writes.indexOf(write))
    .filter((other) => other.kind === "list" && other.key === write.key);
  const frame = said.frame(response, before.list(write.namespace, write.key).length + earlier.length + 1);
  if (frame === undefined)
    return cite(
      "B1",
      rule("a frame of a request", () => false),
    );
  if (frame.type !== "start") return cite("B1", exactly(frame));
  return cite("B1", { type: "start", partial: startExpected(frame.partial) });
}

/** A transaction that adds entries moves the tip to the last of them (D1). */
function tipIsLeftBehind(transaction: Transaction): WrongAt | undefined {
  const last = transaction.entries.at(-1)?.id;
  if (last === undefined) return undefined;
  const lane = laneOf(transaction);
  const tip = transaction.set("pi.branch.tip", lane);
  if (isDeepStrictEqual(tip, last)) return undefined;
  return { requirement: "D1", place: "pi.branch.tip", path: "", expected: last, actual: tip ?? "not set" };
}
