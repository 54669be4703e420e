/** Everything that a session holds, in a form that can be compared. */
import type { ImageSource } from "../../storage/contract/image.ts";
import type { Storage } from "../../storage/contract/storage.ts";
import { everythingIn } from "./new-sessions.ts";

/** A store that can show all that it holds. */
export type OpenStore = Storage & ImageSource;

/** All that a session holds, with numbers, timestamps and totals. */
export async function wholeContentOf(store: OpenStore) {
  return { ...(await everythingIn(store)), stats: await store.getStats() };
}
