/**
 * The public API: durable streaming of assistant messages over transactional stores.
 *
 * A short tour. Open a store (`JsonlStorage.open`, `SqliteStorage.open`, `new MemoryStorage`) and put a `Session` over it.
 * `openHarness` gives the session its one driver. `harness.lane(name)` answers a `Lane`, on which you `accept` a prompt and
 * `activate` the operation that it opened; `cancel`, `snapshot`, `watch` and `summarize` are calls of the lane too. Every
 * frame of a stream is written as it comes. After a crash, open the store again and `activate`: the harness goes on from
 * what is durable. `forkSession`, `rewriteSession` and `migrateFrames` make a new session from one that is there.
 *
 * Ids such as (C4) name requirements. All of them are written down in `docs/generated/requirements.md`.
 *
 * Errors are classes below `DurabilityError`, told apart by `code`. Wrong arguments throw a `TypeError`. Times are in
 * milliseconds; points in time count from the epoch.
 */

// Addresses: names of values and lists in a store.

export { list, type Value, type ValueList, value } from "./addresses/address.ts";
export * from "./addresses/builtins.ts";

// Durable shapes: what stands in a store.

export type * from "./durable/entries.ts";
export type { JsonValue } from "./durable/json.ts";
export type * from "./durable/operation.ts";
export type * from "./durable/state.ts";

// Errors: what is refused, and what is found broken.

export * from "./errors.ts";

// Session: one handle on a store, with its sources of time and ids.

export { type Clock, systemClock } from "./session/clock.ts";
export { type IdSource, uuidIds } from "./session/ids.ts";
export { Session, type SessionOptions } from "./session/session.ts";
export type { Outcome } from "./session/terminal.ts";

// Harness: drives the operations of a session, lane by lane.

export { type Harness, openHarness } from "./harness/harness.ts";
export type { ActivateOptions, Lane } from "./harness/lane.ts";
export type * from "./harness/options.ts";

// Calls of a lane: what they take and answer.

export type { Accepted, Prompt } from "./harness/calls/accept.ts";
export type { Cancelled, CancelOptions } from "./harness/calls/cancel.ts";
export type { LaneSnapshot, OperationSnapshot } from "./harness/calls/snapshot.ts";
export type { LaneWatch } from "./harness/calls/watch.ts";
export type { SummarizeOptions } from "./harness/summary/summary.ts";

// Events and messages: what listeners are told, and what a model is sent.

export { interruptionWarning } from "./harness/drive/recovery.ts";
export type { HarnessEvent, Listener, ListenerError, StreamUpdate } from "./harness/listening/events.ts";
export { deriveMessages } from "./harness/reading/transcript.ts";

// Stores: the contract, its writes, and the stores of this package.

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
export { JsonlStorage, type JsonlStorageOptions } from "./storage/jsonl/jsonl.ts";
export { MemoryStorage, type MemoryStorageOptions } from "./storage/memory/memory.ts";
export { SqliteStorage, type SqliteStorageOptions } from "./storage/sqlite/sqlite.ts";

// Files: the file system underneath the JSONL store.

export type { FileAccess, FileStatus, SessionFile, SessionFiles, SessionPlace } from "./storage/files/files.ts";
export { nodeFiles } from "./storage/files/node-files.ts";

// In front of a store: telemetry, and calls taken over.

export { observeStorage, type TransactionRecord, type WriteRecord } from "./storage/telemetry.ts";
export { wrapStorage } from "./storage/wrap-storage.ts";

// Replay: every event that a provider gave, recorded beside a session and played again.

export { decodeFixture } from "./replay/fixture/decode.ts";
export { encodeFixture } from "./replay/fixture/encode.ts";
export * from "./replay/fixture/fixture.ts";
export type { FixtureFileOptions } from "./replay/fixture/fixture-file.ts";
export { packFixture } from "./replay/fixture/pack-file.ts";
export { StreamPlayer } from "./replay/fixture/player.ts";
export { readFixture } from "./replay/fixture/read-file.ts";
export { importSessionLog } from "./replay/import/session-log.ts";
export { importSse, type SseFormat, type SseOptions } from "./replay/import/sse.ts";
export { type Burst, burstsOf } from "./replay/play/bursts.ts";
export { noPause, type Pace, type PaceOptions, recordedPace } from "./replay/play/pace.ts";
export { playRequest, type ReplayModels, type ReplayOptions, replayModels } from "./replay/play/replay.ts";
export { FixtureRecorder, type RecorderOptions } from "./replay/record/recorder.ts";
export { type FixtureSink, fixtureBeside, fixtureFile } from "./replay/record/sink.ts";

// Maintenance: new sessions from old ones.

export { forkSession } from "./maintenance/fork.ts";
export type { ForkOptions, ForkScope } from "./maintenance/fork-selection.ts";
export { type FrameMap, type FrameMigration, type FramePlace, migrateFrames } from "./maintenance/migrate-frames.ts";
export { rewriteSession } from "./maintenance/rewrite.ts";
export type { ImageSource, NewSession, SessionImage, Survivor } from "./storage/contract/image.ts";
export { type NewJsonlSessionOptions, newJsonlSession } from "./storage/jsonl/import.ts";
export { newMemorySession } from "./storage/memory/import.ts";
export { newSqliteSession } from "./storage/sqlite/import.ts";
