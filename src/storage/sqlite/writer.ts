/** Commits transactions to the tables, several at once, each with its own result (A3, A4). */
import type { Database } from "better-sqlite3";
import { StorageFailed } from "../../errors.ts";
import { type KnownIds, prepareWrites } from "../admission/prepare.ts";
import type { CommitResult, SessionStats } from "../contract/storage.ts";
import { applyWrite } from "./apply.ts";
import type { EncodedTransaction } from "./encode.ts";
import { isStorageFailure } from "./module.ts";
import { type ChangeStatements, prepareChanges } from "./statements.ts";
import { toText } from "./text.ts";
import { decodeTotals, statsToText, type Totals } from "./totals.ts";

/** What became of one transaction. */
export type Outcome = { readonly result: CommitResult } | { readonly error: unknown };

/** Makes transactions durable, several with one physical commit, each with its own result. */
export class SqliteWriter {
  readonly #database: Database;
  readonly #statements: ChangeStatements;
  readonly #known: KnownIds;
  #totals: Totals;
  #failure: StorageFailed | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#statements = prepareChanges(database);
    const { isEntry, isUsage, session } = this.#statements;
    this.#known = {
      isEntry: (id) => isEntry.get(toText(id)) !== undefined,
      isTaken: (id) => isEntry.get(toText(id)) !== undefined || isUsage.get(toText(id)) !== undefined,
    };
    const row = session.get();
    if (row === undefined) throw new StorageFailed(database.name, "the session row is missing");
    this.#totals = decodeTotals(row);
  }

  get stats(): SessionStats {
    return this.#totals.stats;
  }

  /**
   * Commits the transactions in order, in one SQLite transaction with a savepoint each: a refused one rolls back alone
   * and uses no number (A4). When SQLite fails, none of them is replied as landed and no later one is tried (A13).
   */
  commitAll(transactions: readonly EncodedTransaction[]): Outcome[] {
    if (this.#failure === undefined) {
      try {
        return this.#commitGroup(transactions);
      } catch (error) {
        this.fail(error);
        this.#rollback();
      }
    }
    const error = this.#failure;
    return transactions.map(() => ({ error }));
  }

  /** Refuses every later commit (A13). */
  fail(cause: unknown): StorageFailed {
    this.#failure ??= new StorageFailed(this.#database.name, cause);
    return this.#failure;
  }

  #commitGroup(transactions: readonly EncodedTransaction[]): Outcome[] {
    const before = this.#totals;
    let totals = before;
    this.#statements.begin.run();
    const outcomes = transactions.map((transaction): Outcome => {
      const outcome = this.#attempt(transaction, totals);
      if ("totals" in outcome) totals = outcome.totals;
      return outcome;
    });
    if (totals !== before) this.#statements.saveSession.run(totals.nextSeq, statsToText(totals.stats));
    this.#statements.commit.run();
    this.#totals = totals;
    return outcomes;
  }

  #attempt(transaction: EncodedTransaction, totals: Totals): { result: CommitResult; totals: Totals } | Outcome {
    this.#statements.savepoint.run();
    try {
      const applied = this.#apply(transaction, totals);
      this.#statements.release.run();
      return applied;
    } catch (error) {
      if (isStorageFailure(error)) throw error;
      this.#statements.rollbackToSavepoint.run();
      this.#statements.release.run();
      return { error };
    }
  }

  #apply({ rows, content, timestamp }: EncodedTransaction, totals: Totals): { result: CommitResult; totals: Totals } {
    prepareWrites(rows, this.#known);
    if ("refusal" in content) throw content.refusal;
    const firstSeq = totals.nextSeq;
    let stats = totals.stats;
    const seqs = content.writes.map((write, index) => {
      stats = applyWrite(this.#statements, write, firstSeq + index, timestamp, stats);
      return firstSeq + index;
    });
    return { result: { firstSeq, seqs, timestamp, stats }, totals: { nextSeq: firstSeq + seqs.length, stats } };
  }

  /** Lets reads see the last committed state again. */
  #rollback(): void {
    try {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
    } catch {
      // The failure that led here is the one to report; nothing is written after it in any case.
    }
  }
}
