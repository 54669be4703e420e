/** Reads the committed frames of a response and reduces them to a message (E2, B4). */
import type { AssistantMessage, AssistantMessageFrame } from "@earendil-works/pi-ai";
import { reduceAssistantMessageFrames } from "@earendil-works/pi-ai/utils/assistant-message-frame";
import { pendingAssistantFrames } from "../../addresses/builtins.ts";
import type { Storage } from "../../storage/contract/storage.ts";

const pageSize = 1_000;

type Read = <T>(query: (storage: Storage) => Promise<T>) => Promise<T>;

/** The message that the committed frames of one response make. */
export interface DurablePartial {
  /** Absent when no start frame was committed. */
  readonly message: AssistantMessage | undefined;
  /** Why `message` is less than all that was stored (B4). */
  readonly damage: string | undefined;
}

/** Reads one response's frames page by page and reduces them (E2, I3). `maxPages` bounds the reading. */
export async function readPartial(
  read: Read,
  operationId: string,
  responseEntryId: string,
  maxPages = Number.POSITIVE_INFINITY,
): Promise<DurablePartial> {
  const address = pendingAssistantFrames(operationId, responseEntryId);
  const frames: AssistantMessageFrame[] = [];
  let cursor: { seq: number } | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const options = cursor === undefined ? { limit: pageSize } : { limit: pageSize, cursor };
    const page = await read((storage) => storage.readList(address, options));
    for (const element of page) frames.push(element.value);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return reduceLongest(frames);
    cursor = { seq: last.seq };
  }
  return { ...reduceLongest(frames), damage: `more than ${maxPages} pages of frames are stored` };
}

/** Reduces the longest prefix that pi-ai's reducer accepts, and says what stopped it (B4). */
export function reduceLongest(frames: readonly AssistantMessageFrame[]): DurablePartial {
  let damage: string | undefined;
  for (let end = frames.length; ; ) {
    let taken = 0;
    const counted = countTaken(frames, end, () => taken++);
    try {
      const message = reduceAssistantMessageFrames(counted);
      // The reducer makes nothing of a list without its start, and does not call that an error.
      if (message === undefined && frames.length > 0) damage ??= `frame 1 of ${frames.length} is no start`;
      return { message, damage };
    } catch (error) {
      damage ??= `frame ${taken} of ${frames.length} is not reducible: ${String(error)}`;
      // The frame that was refused is the last one taken; all before it were accepted.
      end = Math.max(0, taken - 1);
    }
  }
}

function* countTaken<T>(items: readonly T[], end: number, onTake: () => void): Generator<T> {
  for (const item of items.slice(0, end)) {
    onTake();
    yield item;
  }
}
