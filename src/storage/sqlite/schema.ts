/** The tables of an SQLite session (A11). */

/** "adur" in ASCII: tells a session from any other SQLite database. */
export const applicationId = 0x61647572;

/** The version that this code writes, and the newest that it reads. */
export const schemaVersion = 1;

/**
 * Tables keyed by address have no rowid, so that a page of a list is one walk along the primary key (A11). Ids and
 * custom types are kept as their JSON text: a caller may put a half surrogate pair there, which UTF-8 cannot hold.
 *
 * An open compares these texts, spaces included, with those in the file: another text is another version.
 */
export const schema = `
  CREATE TABLE session (
    next_seq INTEGER NOT NULL,
    stats TEXT NOT NULL
  ) STRICT;
  CREATE TABLE entries (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    parent_id TEXT NOT NULL,
    timestamp INTEGER NOT NULL,
    type TEXT NOT NULL,
    custom_type TEXT,
    payload TEXT NOT NULL
  ) STRICT;
  CREATE TABLE usage_rows (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    payload TEXT NOT NULL
  ) STRICT;
  CREATE TABLE stored_values (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (namespace, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE list_elements (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (namespace, key, seq)
  ) STRICT, WITHOUT ROWID;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${schemaVersion};
`;
