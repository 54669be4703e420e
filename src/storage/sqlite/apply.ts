/** Brings one encoded write into the tables (A11). */
import type { SessionStats } from "../contract/storage.ts";
import type { EncodedWrite } from "./encode.ts";
import type { ChangeStatements } from "./statements.ts";
import { withMessage, withUsage } from "./totals.ts";

/** Brings one write into the tables under its number. Returns the totals after it. */
export function applyWrite(
  statements: ChangeStatements,
  write: EncodedWrite,
  seq: number,
  timestamp: number,
  stats: SessionStats,
): SessionStats {
  switch (write.kind) {
    case "entry":
      statements.insertEntry.run({ ...write.row, seq, timestamp });
      return write.isMessage ? withMessage(stats) : stats;
    case "usage":
      statements.insertUsage.run(seq, write.id, write.payload);
      return withUsage(stats, write.usage);
    case "set":
      statements.setValue.run(write.namespace, write.key, seq, write.text);
      return stats;
    case "append":
      statements.append.run(write.namespace, write.key, seq, write.text);
      return stats;
    default:
      statements[write.kind].run(write.namespace, write.key);
      return stats;
  }
}
