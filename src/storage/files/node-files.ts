/** The file system of this machine, through Node. */
import { type BigIntStats, createReadStream } from "node:fs";
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { FileAccess, FileStatus, SessionFile, SessionFiles, SessionPlace } from "./files.ts";

const chunkBytes = 256 * 1024;

/** The file system of the machine. */
export const nodeFiles: SessionFiles = {
  // The sector of every disk, and a divisor of what file systems allocate.
  blockBytes: 512,
  locate,
  kindOf,
  statusOf: (path) => unlessAbsent(stat(path, { bigint: true }).then(fileStatus), async () => undefined),
  read: (path) => createReadStream(path, { highWaterMark: chunkBytes }),
  open: async (path) => sessionFile(await open(path, "a")),
  create,
  rename,
  remove: (path) => rm(path, { force: true }),
  syncFolder,
};

function sessionFile(handle: FileHandle): SessionFile {
  return {
    append: async (bytes) => (await handle.write(bytes)).bytesWritten,
    // The data and the size that is needed to read it; times may be lost.
    sync: () => handle.datasync(),
    truncate: (size) => handle.truncate(size),
    close: () => handle.close(),
    status: async () => fileStatus(await handle.stat({ bigint: true })),
  };
}

async function create(path: string, access?: FileAccess): Promise<SessionFile> {
  const handle = await open(path, "ax", 0o600);
  try {
    if (access !== undefined) await giveTo(handle, access);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return sessionFile(handle);
}

/** Only the superuser can give a file to another user. */
async function giveTo(handle: FileHandle, { uid, gid, mode }: FileAccess): Promise<void> {
  await handle.chown(uid, gid).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EPERM") throw error;
  });
  await handle.chmod(mode);
}

function fileStatus({ dev, ino, size, uid, gid, mode }: BigIntStats): FileStatus {
  const access = { uid: Number(uid), gid: Number(gid), mode: Number(mode) & 0o777 };
  return { identity: `${dev}:${ino}`, size: Number(size), access };
}

/** The folder's inode with the name: no bind mount of the folder and no symbolic link changes it. */
async function locate(path: string): Promise<SessionPlace> {
  const real = await realPath(path);
  const folder = await stat(dirname(real), { bigint: true });
  return { path: real, identity: `${folder.dev}:${folder.ino}/${basename(real)}` };
}

/** Without symbolic links. A file that is not there is where a link that names it leads. */
async function realPath(path: string): Promise<string> {
  return unlessAbsent(realpath(path), async () => {
    const folder = await realpath(dirname(resolve(path)));
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? join(folder, basename(path)) : realPath(resolve(folder, target));
  });
}

async function kindOf(path: string): Promise<"absent" | "file" | "other"> {
  const found = await unlessAbsent(stat(path), async () => undefined);
  if (found === undefined) return "absent";
  return found.isFile() ? "file" : "other";
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folder as a file; its journal keeps names in order.
  if (process.platform === "win32") return;
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function unlessAbsent<T, U>(found: Promise<T>, otherwise: () => Promise<U>): Promise<T | U> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return otherwise();
  }
}
