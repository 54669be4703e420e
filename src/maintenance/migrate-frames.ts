/** Migrates stored frames to a new shape, or drops the lists that cannot be mapped (L2). */
import type { AssistantMessageFrame } from "@earendil-works/pi-ai";
import { pendingAssistantFrames } from "../addresses/builtins.ts";
import { FrameMapFailed } from "../errors.ts";
import type { ImageSource, NewSession, SessionImage, Survivor } from "../storage/contract/image.ts";
import type { ListAppendWrite } from "../storage/contract/writes.ts";
import { frameDefect } from "./frame-shape.ts";

/** Which element of which frame list is mapped. */
export interface FramePlace {
  /** The key of the list, `operationId:responseEntryId`. */
  readonly key: string;
  /** The number of the element in the session, which stays. */
  readonly seq: number;
}

/**
 * The frame of today for an element of an older shape; `undefined` when there is none, and the whole list is dropped.
 * Pure: it is asked about an element more than once. An element that is a frame of today already is its own answer, so
 * that a second migration changes nothing.
 */
export type FrameMap = (element: unknown, place: FramePlace) => AssistantMessageFrame | undefined;

/** What a migration made. */
export interface FrameMigration<T> {
  /** What `target` answered. */
  readonly session: T;
  /** The keys of the lists whose every element was mapped. */
  readonly mapped: readonly string[];
  /** The keys of the lists that are not in the new session: their responses are recovered without a partial (E4). */
  readonly dropped: readonly string[];
}

/**
 * A migration of the frame shape (L2): a precise rewrite (`rewriteSession`), in which each element of each frame list is
 * what `map` makes of it. Its number and its place stay. When the map has no answer for one element, the whole list
 * is dropped, and never a part of it. Nothing else changes: no list becomes an entry, and no operation another state, so
 * that recovery settles each response as it would have (N7).
 *
 * A map that throws, that answers anything but a frame, or that answers an element in two ways is a defect of the map and
 * says nothing about the list: the migration is refused, and the source is there to try again.
 *
 * @throws {FrameMapFailed} naming the element; no session was made.
 */
export function migrateFrames<T>(
  source: ImageSource,
  target: NewSession<T>,
  map: FrameMap,
): Promise<FrameMigration<T>> {
  return source.withImage(async (image) => {
    const { mapped, dropped } = await judgeLists(image, map);
    const session = await target({ nextSeq: image.nextSeq, pages: () => migratedPages(image, map, dropped) });
    return { session, mapped: [...mapped], dropped: [...dropped] };
  });
}

/** A list is kept or dropped by its worst element, so that all must be asked before the first is written. */
async function judgeLists(
  image: SessionImage,
  map: FrameMap,
): Promise<{ mapped: ReadonlySet<string>; dropped: ReadonlySet<string> }> {
  const mapped = new Set<string>();
  const dropped = new Set<string>();
  for await (const page of image.pages()) {
    for (const element of page.flatMap(frameElementOf)) {
      const { key } = element.place;
      if (dropped.has(key)) continue;
      if (frameFor(element, map) !== undefined) {
        mapped.add(key);
      } else {
        mapped.delete(key);
        dropped.add(key);
      }
    }
  }
  return { mapped, dropped };
}

async function* migratedPages(
  image: SessionImage,
  map: FrameMap,
  dropped: ReadonlySet<string>,
): AsyncGenerator<readonly Survivor[]> {
  for await (const page of image.pages()) {
    yield page.flatMap((survivor) => {
      const [element] = frameElementOf(survivor);
      if (element === undefined) return survivor;
      return dropped.has(element.place.key) ? [] : { ...survivor, write: withFrame(element, map) };
    });
  }
}

function withFrame(element: FrameElement, map: FrameMap): ListAppendWrite {
  const frame = frameFor(element, map);
  if (frame === undefined) throw failed(element.place, "it had an answer before and has none now");
  return { ...element.write, value: frame };
}

function frameFor({ write, place }: FrameElement, map: FrameMap): AssistantMessageFrame | undefined {
  let frame: AssistantMessageFrame | undefined;
  try {
    frame = map(write.value, place);
  } catch (error) {
    throw failed(place, "it threw", error);
  }
  const defect = frame === undefined ? undefined : frameDefect(frame);
  if (defect !== undefined) throw failed(place, `its answer is ${defect}`);
  return frame;
}

function failed({ key, seq }: FramePlace, what: string, cause?: unknown): FrameMapFailed {
  return new FrameMapFailed(key, seq, what, cause);
}

interface FrameElement {
  readonly place: FramePlace;
  readonly write: ListAppendWrite;
}

const { namespace: frameNamespace } = pendingAssistantFrames("", "");

function frameElementOf({ write, seq }: Survivor): FrameElement[] {
  if (write.kind !== "list" || write.namespace !== frameNamespace) return [];
  return [{ write, place: { key: write.key, seq } }];
}
