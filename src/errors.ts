/**
 * The refusals and defects that callers of this package meet. Each is a class of its own below `DurabilityError`, with one
 * `code`. Wrong arguments are the exception: they throw a plain `TypeError`.
 */

/** Anything that this package refuses or finds broken. Tell the classes apart by `code`, never by the message. */
export abstract class DurabilityError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The session was closed. The call may or may not have landed; open the session again to see (K1). */
export class Closed extends DurabilityError {
  readonly code = "closed";

  constructor() {
    super("The session is closed");
  }
}

/** The harness stopped because of `cause`. Open the session again to recover (K2). */
export class HarnessFault extends DurabilityError {
  readonly code = "harness_fault";

  constructor(cause: unknown) {
    super(`The harness faulted: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** Another harness already drives this session, or another session this storage (O3). */
export class SessionInUse extends DurabilityError {
  readonly code = "session_in_use";

  constructor(what = "This session already has a harness") {
    super(`${what}; close it first`);
  }
}

/** The lane already has an open operation (O1). */
export class LaneBusy extends DurabilityError {
  readonly code = "lane_busy";
  readonly lane: string;
  readonly operationId: string;

  constructor(lane: string, operationId: string) {
    super(`Lane "${lane}" is busy with operation ${operationId}`);
    this.lane = lane;
    this.operationId = operationId;
  }
}

/** The lane has no open operation to activate or cancel (O3, F1). */
export class NoOpenOperation extends DurabilityError {
  readonly code = "no_open_operation";
  readonly lane: string;

  constructor(lane: string) {
    super(`Lane "${lane}" has no open operation`);
    this.lane = lane;
  }
}

/** The operation to finalize or to cancel is not the open one of its lane (K3, Q7). */
export class OperationNotOpen extends DurabilityError {
  readonly code = "operation_not_open";
  readonly lane: string;
  readonly operationId: string;

  constructor(lane: string, operationId: string) {
    super(`Operation ${operationId} is not open on lane "${lane}"`);
    this.lane = lane;
    this.operationId = operationId;
  }
}

/** The durable state belongs to a part of the format that this implementation does not drive. */
export class UnsupportedState extends DurabilityError {
  readonly code = "unsupported_state";
  readonly at: string;

  constructor(at: string) {
    super(`This harness cannot drive an operation at "${at}"`);
    this.at = at;
  }
}

/** Why there is no summary. */
export type SummaryFailure = "aborted" | "nothing_to_summarize" | "unknown_model" | "provider_error" | "unusable";

/** The lane was not summarized; nothing was written. Whether to try again is the caller's decision. */
export class SummaryFailed extends DurabilityError {
  readonly code = "summary_failed";
  readonly lane: string;
  readonly reason: SummaryFailure;

  constructor(lane: string, reason: SummaryFailure, what: string, cause?: unknown) {
    super(`Lane "${lane}" was not summarized: ${what}`, cause === undefined ? undefined : { cause });
    this.lane = lane;
    this.reason = reason;
  }
}

/** The lane got another tip while its summary was made: nothing was written, ask for a new summary. */
export class LaneMoved extends DurabilityError {
  readonly code = "lane_moved";
  readonly lane: string;
  readonly summarizedTipId: string | null;
  readonly tipId: string | null;

  constructor(lane: string, summarizedTipId: string | null, tipId: string | null) {
    super(`Lane "${lane}" moved from entry ${summarizedTipId} to ${tipId} while its summary was made`);
    this.lane = lane;
    this.summarizedTipId = summarizedTipId;
    this.tipId = tipId;
  }
}

/** The provider broke the event protocol (B3). */
export class ProviderProtocolError extends DurabilityError {
  readonly code = "provider_protocol";
  /** The place in the stream, such as `event 3 (text_delta)`. */
  readonly where: string;

  constructor(what: string, where: string, cause?: unknown) {
    super(`Provider protocol defect at ${where}: ${what}`, cause === undefined ? undefined : { cause });
    this.where = where;
  }
}

/** A defect: something happened that the design rules out. */
export class InvariantError extends DurabilityError {
  readonly code = "invariant";
}

/** Why a store refused a transaction or a query. */
export type StorageRefusal =
  | "duplicate_id"
  | "missing_parent"
  | "missing_entry"
  | "not_json"
  | "malformed_write"
  | "too_deep"
  | "too_large"
  | "stale_sequence"
  | "read_only";

/** The store refused the call; it changed nothing and stays usable (A4). */
export class StorageRejected extends DurabilityError {
  readonly code = "storage_rejected";
  readonly reason: StorageRefusal;

  constructor(reason: StorageRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The store is closed (A12). */
export class StorageClosed extends DurabilityError {
  readonly code = "storage_closed";

  constructor() {
    super("The storage is closed");
  }
}

/** Another handle, in this process or another, has the session open for writing. Its close or its death frees the session (A13). */
export class SessionLocked extends DurabilityError {
  readonly code = "session_locked";
  readonly path: string;

  constructor(path: string) {
    super(`The session ${path} is already open for writing; close it there first`);
    this.path = path;
  }
}

/**
 * The file of an open session is not what its holder left: it was renamed, replaced or deleted, or somebody else wrote to it.
 * Nothing more is written by this holder. The last commits may be in the file that was moved away (A13).
 */
export class SessionLost extends DurabilityError {
  readonly code = "session_lost";
  readonly path: string;

  constructor(path: string, what: string) {
    super(`The session ${path} was lost while it was open: ${what}; see what is there now, and open that`);
    this.path = path;
  }
}

/** The file is no session of this store's format; nothing was changed (A9). */
export class NotASession extends DurabilityError {
  readonly code = "not_a_session";
  readonly path: string;

  constructor(path: string, what: string) {
    super(`${path} is no session: ${what}`);
    this.path = path;
  }
}

/** A file stands where a new session was to be made; nothing was changed (L1, L2). */
export class SessionExists extends DurabilityError {
  readonly code = "session_exists";
  readonly path: string;

  constructor(path: string) {
    super(`${path} exists and is not empty: name a file that does not exist yet, or move this one away`);
    this.path = path;
  }
}

/** Why a fork was refused. */
export type ForkRefusal =
  | "open_operation"
  | "unknown_lane"
  | "unconfigured_lane"
  | "unknown_entry"
  | "entry_not_on_branch"
  | "unknown_reserved_state";

/** The session cannot be forked as was asked; neither session was changed (L1). */
export class ForkRefused extends DurabilityError {
  readonly code = "fork_refused";
  readonly reason: ForkRefusal;

  constructor(reason: ForkRefusal, message: string) {
    super(`The session cannot be forked: ${message}`);
    this.reason = reason;
  }
}

/** The map of a migration failed on one element; no session was made and the source was not changed (L2). */
export class FrameMapFailed extends DurabilityError {
  readonly code = "frame_map_failed";
  /** The key of the frame list, `operationId:responseEntryId`. */
  readonly key: string;
  /** The number of the element in the session. */
  readonly seq: number;

  constructor(key: string, seq: number, what: string, cause?: unknown) {
    super(
      `The frame map failed at element ${seq} of list ${key}: ${what}; mend the map, or let it answer undefined to drop the list`,
      cause === undefined ? undefined : { cause },
    );
    this.key = key;
    this.seq = seq;
  }
}

/** The session file has a line that this package cannot have written: bad JSON, number or id. Nothing was changed (A9). */
export class CorruptSession extends DurabilityError {
  readonly code = "corrupt_session";
  readonly path: string;
  /** Counted from 1, the header included. */
  readonly line: number;

  constructor(path: string, line: number, what: string, cause?: unknown) {
    super(
      `The session ${path} is corrupt at line ${line} (${what}); restore it from a copy, or mend or cut that line by hand`,
      cause === undefined ? undefined : { cause },
    );
    this.path = path;
    this.line = line;
  }
}

/** The session was written by a newer version of this package; nothing was changed (A9). */
export class NewerStorageVersion extends DurabilityError {
  readonly code = "newer_storage_version";
  readonly path: string;

  constructor(path: string, found: number, supported: number) {
    super(
      `The session ${path} has storage version ${found}, this package reads up to ${supported}: update the package`,
    );
    this.path = path;
  }
}

/**
 * Reading or writing the storage failed. The commit may or may not have landed; later commits are refused until a
 * reopen, which reads what is there (A13, K2).
 */
export class StorageFailed extends DurabilityError {
  readonly code = "storage_failed";
  readonly path: string;
  /** The code that the system or SQLite gave for it, such as `EIO` or `SQLITE_IOERR_WRITE`, when there is one. */
  readonly causeCode: string | undefined;
  /** Whether it failed for want of room. Then a session still opens, to be read. */
  readonly isDiskFull: boolean;

  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const { code } = Object(cause) as { code?: unknown };
    const isFull = noRoom.has(code);
    const remedy = isFull ? "the disk is full: make room, then open it again to go on" : "open it again to go on";
    super(`The storage of session ${path} failed (${reason}); ${remedy}`, { cause });
    this.path = path;
    this.causeCode = typeof code === "string" ? code : undefined;
    this.isDiskFull = isFull;
  }
}

/** What systems and SQLite say when there is no room: of the disk, of a quota, of a limit on a file. */
const noRoom: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "SQLITE_FULL"]);

/** The SQLite store needs an optional package that is not installed. */
export class SqliteMissing extends DurabilityError {
  readonly code = "sqlite_missing";

  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message.split("\n", 1)[0] : String(cause);
    super(`The SQLite store needs the package better-sqlite3 (${reason}): run "npm install better-sqlite3@12"`, {
      cause,
    });
  }
}

/** The text is no replay fixture. */
export class NotAFixture extends DurabilityError {
  readonly code = "not_a_fixture";

  constructor(what: string) {
    super(`This is no replay fixture: ${what}`);
  }
}

/** The fixture has another format version than this package reads (P7). */
export class FixtureVersionRefused extends DurabilityError {
  readonly code = "fixture_version";
  readonly found: unknown;

  constructor(found: unknown, supported: number) {
    super(
      `The fixture has format version ${JSON.stringify(found)}, this package reads ${supported}: record it again, or use the package that wrote it`,
    );
    this.found = found;
  }
}

/** A line of the fixture cannot be what a recorder wrote; nothing of the fixture was loaded. */
export class CorruptFixture extends DurabilityError {
  readonly code = "corrupt_fixture";
  /** Counted from 1, the header included. */
  readonly line: number;

  constructor(line: number, what: string, cause?: unknown) {
    super(`The fixture is corrupt at line ${line} (${what}); record it again, or cut it before that line`, { cause });
    this.line = line;
  }
}

/** A replayed fixture was asked for another request than the next one that it holds. */
export class ReplayRefused extends DurabilityError {
  readonly code = "replay_refused";
}

/** What was to be imported as a fixture is damaged, or of another format or version (P7); nothing was imported. */
export class ImportRefused extends DurabilityError {
  readonly code = "import_refused";
  /** Counted from 1; 0 when no line is to blame. */
  readonly line: number;

  constructor(line: number, what: string, cause?: unknown) {
    super(line === 0 ? what : `Line ${line} cannot be imported: ${what}`, { cause });
    this.line = line;
  }
}
