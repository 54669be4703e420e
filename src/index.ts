export { list, type Value, type ValueList, value } from "./addresses/address.ts";
export * from "./addresses/builtins.ts";
export type * from "./durable/entries.ts";
export type { JsonValue } from "./durable/json.ts";
export type * from "./durable/operation.ts";
export type * from "./durable/state.ts";
export * from "./errors.ts";
export type { Accepted, Prompt } from "./harness/calls/accept.ts";
export type { Cancelled } from "./harness/calls/cancel.ts";
export type { LaneSnapshot, OperationSnapshot } from "./harness/calls/snapshot.ts";
export type { LaneWatch } from "./harness/calls/watch.ts";
export { interruptionWarning } from "./harness/drive/recovery.ts";
export { type Harness, openHarness } from "./harness/harness.ts";
export type { ActivateOptions, Lane } from "./harness/lane.ts";
export type { HarnessEvent, Listener, ListenerError, StreamUpdate } from "./harness/listening/events.ts";
export type * from "./harness/options.ts";
export { deriveMessages } from "./harness/reading/transcript.ts";
export type { SummarizeOptions } from "./harness/summary/summary.ts";
export { forkSession } from "./maintenance/fork.ts";
export type { ForkOptions, ForkScope } from "./maintenance/fork-selection.ts";
export { type FrameMap, type FrameMigration, type FramePlace, migrateFrames } from "./maintenance/migrate-frames.ts";
export { rewriteSession } from "./maintenance/rewrite.ts";
export { type Clock, systemClock } from "./session/clock.ts";
export { type IdSource, uuidIds } from "./session/ids.ts";
export { Session, type SessionOptions } from "./session/session.ts";
export type { Outcome } from "./session/terminal.ts";
export type { ImageSource, NewSession, SessionImage, Survivor } from "./storage/contract/image.ts";
export type { ListReadOptions } from "./storage/contract/list-options.ts";
export type * from "./storage/contract/storage.ts";
export * from "./storage/contract/writes.ts";
export {
  type FileStorage,
  type FileStore,
  type FileStoreName,
  type FileStoreOptions,
  fileStoreNamed,
  fileStoreNames,
  fileStores,
} from "./storage/file-stores.ts";
export type { SessionFile, SessionFiles, SessionPlace } from "./storage/files/files.ts";
export { nodeFiles } from "./storage/files/node-files.ts";
export { type NewJsonlSessionOptions, newJsonlSession } from "./storage/jsonl/import.ts";
export { JsonlStorage, type JsonlStorageOptions } from "./storage/jsonl/jsonl.ts";
export { newMemorySession } from "./storage/memory/import.ts";
export { MemoryStorage, type MemoryStorageOptions } from "./storage/memory/memory.ts";
export { newSqliteSession } from "./storage/sqlite/import.ts";
export { SqliteStorage, type SqliteStorageOptions } from "./storage/sqlite/sqlite.ts";
export { observeStorage, type TransactionRecord, type WriteRecord } from "./storage/telemetry.ts";
export { wrapStorage } from "./storage/wrap-storage.ts";
