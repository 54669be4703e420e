/** The lock that lets one writer at a time work on a session (A13). */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionLocked, StorageFailed } from "../../errors.ts";
import type { SessionPlace } from "./files.ts";

/** The right to write one session. */
export interface SessionLock {
  /**
   * Holds the file of this identity too, in the place of the one before: so another name of it, by a link, a mount or a
   * rename, is no way to a second writer.
   *
   * @throws {SessionLocked} when another holder has it.
   */
  holdFile(identity: string): Promise<void>;
  /** Lets go after `last`, the holder's last operation. In this thread, the next to ask for the lock waits for that. */
  release(last?: Promise<void>): Promise<void>;
}

/** Lets go of whatever the kernel holds for us. */
type Release = () => Promise<void>;

const leaving = new Map<string, Promise<void>>();

/**
 * Takes the one right to write a session. The kernel keeps it, and takes it back when the process dies, in whatever
 * way. So nothing stale is left behind. It does not keep the process alive.
 *
 * Linux: listening sockets in the abstract namespace, one named by the session's place, one by its file. Their reach is one
 * network namespace of one machine: containers with networks of their own, and other machines on a network file system, do
 * not see them. Any user of the machine can take such a name, and so keep others from the session. Windows: named pipes.
 * macOS and BSD: a file `<session>.lock`, and one in the temporary folder, opened with `O_EXLOCK`, which stay behind, empty
 * and meaningless. The tests exercise Linux.
 *
 * @throws {SessionLocked} when another holder, in this process or another, has it.
 * @throws {StorageFailed} when the platform refuses for another reason.
 */
export async function lockSession(place: SessionPlace): Promise<SessionLock> {
  const ofPlace = await lease(place, `${place.path}.lock`);
  let ofFile: Lease | undefined;
  return {
    holdFile: async (identity) => {
      const before = ofFile;
      if (before?.identity === identity) return;
      const hash = hashOf(identity);
      ofFile = await lease({ path: place.path, identity }, join(tmpdir(), `assistant-durability-${hash}.lock`));
      await before?.release();
    },
    release: async (last) => void (await Promise.all([ofPlace.release(last), ofFile?.release(last)])),
  };
}

/** One name that the kernel keeps for us. */
interface Lease {
  readonly identity: string;
  release(last?: Promise<void>): Promise<void>;
}

/** `file` stands for the name where the kernel keeps no names but files. */
async function lease(place: SessionPlace, file: string): Promise<Lease> {
  const { identity } = place;
  await leaving.get(identity);
  const letGo = await take(place, file);
  return {
    identity,
    release: (last = Promise.resolve()) => {
      const left = last.then(letGo).finally(() => leaving.delete(identity));
      leaving.set(identity, left);
      return left;
    },
  };
}

async function take(place: SessionPlace, file: string): Promise<Release> {
  const hash = hashOf(place.identity);
  try {
    if (process.platform === "linux" || process.platform === "android") return await listenAbstract(abstractName(hash));
    if (process.platform === "win32") return await listen(`\\\\.\\pipe\\assistant-durability-${hash}`);
    return await openExclusively(file);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw heldElsewhere.has(code) ? new SessionLocked(place.path) : new StorageFailed(place.path, error);
  }
}

const heldElsewhere: ReadonlySet<string> = new Set(["EADDRINUSE", "EAGAIN"]);

const hashOf = (identity: string): string => createHash("sha256").update(identity).digest("hex");

/**
 * As long as a socket name can be: some versions of Node pad a shorter one with zero bytes and others do not, and the
 * two would be different names.
 */
function abstractName(hash: string): string {
  return `\0assistant-durability/${hash}`.padEnd(108, "/");
}

async function listenAbstract(name: string): Promise<Release> {
  const close = await listen(name);
  // In one go, so that nobody else has taken the name before it is looked at.
  return async () => void (await Promise.all([close(), gone(name)]));
}

/**
 * A process that another thread is starting has a copy of the socket until it runs its program: only then is the name
 * free. Nobody accepts a connection to such a copy, and it breaks when the last one is closed. A connection that the next
 * holder has taken breaks at once.
 */
function gone(name: string): Promise<void> {
  return new Promise((resolve) => {
    const probe = connect(name);
    probe.on("error", () => {});
    probe.on("close", () => resolve());
  });
}

function listen(name: string): Promise<Release> {
  return new Promise((resolve, reject) => {
    const server = createServer((caller) => caller.destroy());
    server.once("error", reject);
    // Exclusive: a cluster would share one socket among its workers.
    server.listen({ path: name, exclusive: true }, () => {
      server.unref();
      resolve(() => new Promise((closed) => server.close(() => closed())));
    });
  });
}

/** Writable, created when absent, locked by the kernel until closed, never waiting; the flags of macOS and BSD. */
async function openExclusively(path: string): Promise<Release> {
  const [readWrite, nonBlocking, exclusiveLock, create] = [0x2, 0x4, 0x20, 0x200];
  const handle = await open(path, readWrite | nonBlocking | exclusiveLock | create, 0o600);
  return () => handle.close();
}
