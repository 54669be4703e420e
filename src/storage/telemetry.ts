/** Tells an observer of every transaction of a store, without any content (M1). */
import { assertTransaction } from "./admission/well-formed.ts";
import { seqOf } from "./contract/landed.ts";
import type { CommitResult, Storage } from "./contract/storage.ts";
import type { Write } from "./contract/writes.ts";
import { wrapStorage } from "./wrap-storage.ts";

/** What one write did and where. Never what it wrote (M1). */
export type WriteRecord = { readonly seq?: number } & (
  | { readonly kind: "entry" | "usage"; readonly op: "insert"; readonly id: string }
  | { readonly kind: "value"; readonly op: "set" | "delete"; readonly namespace: string; readonly key: string }
  | { readonly kind: "list"; readonly op: "append" | "delete"; readonly namespace: string; readonly key: string }
);

/** One transaction, told when the store has replied. */
export interface TransactionRecord {
  /** Counts the transactions as they are handed over, from 1; replies may come in another order. */
  readonly transaction: number;
  /** `failed` does not tell whether it landed (K2). */
  readonly outcome: "landed" | "failed";
  /** Empty when one is malformed. In the order of the transaction, with their sequence numbers when it landed. */
  readonly writes: readonly WriteRecord[];
}

/**
 * The same store, whose every transaction is told to `record`. No entry, usage, value, element or error text is told,
 * only kinds, addresses and order (M1). What `record` throws is dropped: it must not fail a commit that landed.
 */
export function observeStorage<S extends Storage>(storage: S, record: (transaction: TransactionRecord) => void): S {
  let handedOver = 0;
  const commit = async (writes: Write[], context?: unknown): Promise<CommitResult> => {
    const transaction = ++handedOver;
    // Described now: the caller may change the array before the reply.
    const described = isTransaction(writes) ? writes.map(describe) : [];
    try {
      const result = await storage.commit(writes, context);
      const numbered = described.map((write, index) => ({ ...write, seq: seqOf(result, index) }));
      tell(record, { transaction, outcome: "landed", writes: numbered });
      return result;
    } catch (error) {
      tell(record, { transaction, outcome: "failed", writes: described });
      throw error;
    }
  };
  return wrapStorage(storage, { commit });
}

/** Of what is malformed, anything could be content; the store refuses it. */
function isTransaction(writes: readonly Write[]): boolean {
  try {
    assertTransaction(writes);
    return true;
  } catch {
    return false;
  }
}

/** Takes over what is named here and nothing else. */
function describe(write: Write): WriteRecord {
  switch (write.kind) {
    case "entry":
      return { kind: "entry", op: "insert", id: write.entry.id };
    case "usage":
      return { kind: "usage", op: "insert", id: write.row.id };
    case "value":
      return { kind: "value", op: write.op, namespace: write.namespace, key: write.key };
    case "list":
      return { kind: "list", op: write.op, namespace: write.namespace, key: write.key };
  }
}

function tell(record: (transaction: TransactionRecord) => void, transaction: TransactionRecord): void {
  try {
    record(transaction);
  } catch {
    // Telemetry has no say in what the store replies.
  }
}
