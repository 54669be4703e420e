/** Where a recorder writes to. */

import { once } from "node:events";
import { createWriteStream, existsSync, type WriteStream } from "node:fs";
import { constants, createGzip, type Gzip } from "node:zlib";
import type { FixtureFileOptions } from "../fixture/fixture-file.ts";

/** Takes the lines of a fixture in order. */
export interface FixtureSink {
  write(lines: string): void;
  /** Resolves when all lines are with the operating system. @throws what writing them failed with. */
  close(): Promise<void>;
}

/**
 * A new fixture file, compressed when its name ends with `.gz` unless the options say otherwise. Compression runs beside the
 * program, so a kill may cost the last bursts; `packFixture` compresses afterwards. What was written outlives a kill of the process; it is not synced to the disk, for nothing depends
 * on it.
 *
 * @throws {Error} `EEXIST` at the first write or at `close`, when there is a file of that name.
 */
export function fixtureFile(path: string, { gzip = path.endsWith(".gz") }: FixtureFileOptions = {}): FixtureSink {
  const file = createWriteStream(path, { flags: "wx" });
  return gzip ? compressed(file) : plain(file);
}

/** The first free name for a fixture beside a session file: `NAME.replay-1.jsonl`, `NAME.replay-2.jsonl`, ... */
export function fixtureBeside(sessionPath: string, { gzip = false }: FixtureFileOptions = {}): string {
  for (let number = 1; ; number++) {
    const path = `${sessionPath}.replay-${number}.jsonl`;
    if (!existsSync(path) && !existsSync(`${path}.gz`)) return gzip ? `${path}.gz` : path;
  }
}

function plain(file: WriteStream): FixtureSink {
  const failed = failureOf(file);
  return {
    write: (lines) => {
      file.write(lines);
    },
    close: () => failed.unlessBefore(() => once(file.end(), "close")),
  };
}

function compressed(file: WriteStream): FixtureSink {
  const gzip: Gzip = createGzip();
  const failed = failureOf(file);
  gzip.pipe(file);
  return {
    write: (lines) => {
      gzip.write(lines);
      gzip.flush(constants.Z_SYNC_FLUSH);
    },
    close: () =>
      failed.unlessBefore(() => {
        const closed = once(file, "close");
        gzip.end();
        return closed;
      }),
  };
}

/** A stream that failed tells so when it is closed, and to nobody before. */
function failureOf(file: WriteStream) {
  let failure: Error | undefined;
  file.on("error", (error) => {
    failure = error;
  });
  return {
    async unlessBefore(end: () => Promise<unknown>): Promise<void> {
      if (failure === undefined) await end().catch(() => {});
      if (failure !== undefined) throw failure;
    },
  };
}
