/** Forks a session: makes a new, idle one from the entries of a source (L1, N12). */
import { isReserved } from "../addresses/builtins.ts";
import type { LaneState } from "../durable/operation.ts";
import type { ImageSource, NewSession, SessionImage, Survivor } from "../storage/contract/image.ts";
import type { ListAppendWrite, ValueSetWrite } from "../storage/contract/writes.ts";
import { type ForkOptions, type ForkSelection, selectFork } from "./fork-selection.ts";
import { namespaces, surveyFork } from "./fork-survey.ts";

/**
 * An idle fork (L1): makes a new session from the entries, tips and lane configuration of the source, with their ids,
 * parents and sequence numbers. Every lane of it is idle, with an empty inbox and no last operation. Nothing that belongs
 * to an operation is taken over, open or ended: no `pi.op.*`, no `pi.pending.*`, no list of frames, no `pi.result`
 * (N12). The usage ledger starts empty. The next write gets the number that it would have got in the source.
 *
 * A lane in scope with an open operation refuses the fork, unless `openOperations` says to leave the operation behind. A
 * lane that is out of scope may have one.
 *
 * The name of the session is taken over, and the labels of the entries that are. Values and lists of the application are
 * taken over with the whole tree; a fork of lanes has none, because they belong to no lane and may speak of what the fork
 * does not have. In the whole tree, a branch that no harness drove yet stays one.
 *
 * The source is read at one moment, page by page, and never changed; it may be open, and go on. The new session is made
 * whole or not at all.
 *
 * @param target as for `rewriteSession`. To a session of JSON lines it gives an identity of its own.
 * @throws {ForkRefused} when the source does not allow what the options ask for; nothing was made.
 */
export function forkSession<T>(
  source: ImageSource,
  target: NewSession<T>,
  options: ForkOptions = { scope: "tree" },
): Promise<T> {
  return source.withImage(async (image) => {
    const selection = selectFork(await surveyFork(image), options);
    return target({ nextSeq: image.nextSeq, pages: () => forkedPages(image, selection) });
  });
}

async function* forkedPages(image: SessionImage, selection: ForkSelection): AsyncGenerator<readonly Survivor[]> {
  for await (const page of image.pages()) {
    yield page.flatMap((survivor) => {
      const write = forked(survivor.write, selection);
      return write === undefined ? [] : { ...survivor, write };
    });
  }
}

/** What becomes of one write; `undefined` when the fork does not have it. */
function forked(write: Survivor["write"], selection: ForkSelection): Survivor["write"] | undefined {
  switch (write.kind) {
    case "entry":
      return selection.hasEntry(write.entry.id) ? write : undefined;
    case "usage":
      return undefined;
    default:
      return isReserved(write.namespace) ? forkedState(write, selection) : applicationState(write, selection);
  }
}

function applicationState<T>(write: T, { hasApplicationState }: ForkSelection): T | undefined {
  return hasApplicationState ? write : undefined;
}

/** Takes over what is named here and nothing else; the survey has refused what nobody knows. */
function forkedState<T extends ValueSetWrite | ListAppendWrite>(write: T, selection: ForkSelection): T | undefined {
  const { namespace, key } = write;
  switch (namespace) {
    case namespaces.name:
      return write;
    case namespaces.label:
      return selection.hasEntry(key) ? write : undefined;
    case namespaces.tip:
      return selection.hasLane(key) ? { ...write, value: selection.tipOf(key) } : undefined;
    case namespaces.config:
      return selection.hasLane(key) ? write : undefined;
    case namespaces.state:
      return selection.hasLane(key) ? { ...write, value: idle } : undefined;
    default:
      return undefined;
  }
}

const idle: LaneState = { currentOperationId: null, lastOperationId: null, inbox: [] };
