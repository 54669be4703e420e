/** Ids, as a session takes them from its host. */
import { uuidv7 } from "@earendil-works/pi-ai/utils/uuid";

/** The only source of ids. Ids of one session must not repeat. */
export interface IdSource {
  next(timestampMs?: number): string;
}

/** Time-ordered UUIDs. */
export const uuidIds: IdSource = { next: (timestampMs) => uuidv7(timestampMs) };
