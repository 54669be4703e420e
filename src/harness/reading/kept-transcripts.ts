/** Keeps what was read of a lane's branch, so that an operation reads and copies only what is new (C15). */
import type { Message } from "@earendil-works/pi-ai";
import type { Entry } from "../../durable/entries.ts";
import { jsonCopy } from "../../durable/json.ts";
import type { SessionCore } from "../../session/core.ts";
import { deriveMessages } from "./transcript.ts";

type Read = SessionCore["read"];

/** A branch from the root to its tip, and what requests are built from. */
interface Kept {
  readonly entries: readonly Entry[];
  /** Made when a request first needs them. */
  messages?: readonly Message[];
}

const nothing: Kept = { entries: [] };

/** So many lanes, those used last, are kept: what a harness holds does not grow with the lanes that it has ever had. */
const greatestNumber = 32;

/** The transcripts of the lanes used last. Entries never change, so that only a new tip asks for a read. */
export class KeptTranscripts {
  readonly #kept = new Map<string, Kept>();

  /** The entries from the root to `tipId`, in an array of the caller's own. */
  async entries(read: Read, lane: string, tipId: string | null): Promise<Entry[]> {
    return [...(await this.#upTo(read, lane, tipId)).entries];
  }

  /**
   * The messages of the next request (E8), in an array of the caller's own. Providers may normalise messages in place, so
   * these are no entries but copies: made once, and given to each later request of the lane.
   */
  async messages(read: Read, lane: string, tipId: string | null): Promise<Message[]> {
    const kept = await this.#upTo(read, lane, tipId);
    kept.messages ??= copiesOf(kept.entries);
    return [...kept.messages];
  }

  async #upTo(read: Read, lane: string, tipId: string | null): Promise<Kept> {
    if (tipId === null) return nothing;
    const known = this.#kept.get(lane) ?? nothing;
    const kept = known.entries.at(-1)?.id === tipId ? known : extended(known, await newEntries(read, known, tipId));
    this.#kept.delete(lane);
    this.#kept.set(lane, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > greatestNumber && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }
}

/** From the known tip on when it is on the branch, else from the root on. */
function newEntries(read: Read, known: Kept, tipId: string): Promise<Entry[]> {
  const stopAtId = known.entries.at(-1)?.id;
  return read(async (storage) => {
    const newestFirst = await storage.scanBranch({ start: tipId, ...(stopAtId !== undefined && { stopAtId }) });
    return newestFirst.reverse();
  });
}

function extended(known: Kept, found: readonly Entry[]): Kept {
  if (found[0]?.id !== known.entries.at(-1)?.id) return { entries: found };
  const added = found.slice(1);
  const entries = [...known.entries, ...added];
  return known.messages === undefined ? { entries } : { entries, messages: [...known.messages, ...copiesOf(added)] };
}

function copiesOf(entries: readonly Entry[]): Message[] {
  return deriveMessages(entries).map(jsonCopy);
}
