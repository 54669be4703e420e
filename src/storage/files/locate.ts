/** Finds the real place of a session file, with an error of this package when the file system refuses. */
import { StorageFailed } from "../../errors.ts";
import type { SessionFiles, SessionPlace } from "./files.ts";

/** Where the session is, whether there is a file or not. */
export async function locate(files: SessionFiles, path: string): Promise<SessionPlace> {
  try {
    return await files.locate(path);
  } catch (error) {
    throw new StorageFailed(path, error);
  }
}
