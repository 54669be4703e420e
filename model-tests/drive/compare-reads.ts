/** What a harness may read of its store: the requirements bound what a reopen, a recovery, a reader and an append may cost. */
import type { GraphEdge, GraphNode } from "../explore/graph.ts";
import type { SeenRead, StepRecord } from "../world/step-record.ts";
import { type Mismatch, mismatch } from "./mismatch.ts";

const framesNamespace = "pi.pending.assistant_frame";

/** Reads of entries or usage rows, as many as there are. */
const scans: ReadonlySet<string> = new Set<SeenRead["kind"]>([
  ...(["scanBranch", "scanBranchStructure", "scanEntries", "scanUsage"] as const),
]);

const describe = ({ kind, namespace }: SeenRead): string => (namespace === undefined ? kind : `${kind} ${namespace}`);

export function compareReads({ event }: GraphEdge, { path }: GraphNode, { reads }: StepRecord): Mismatch | undefined {
  const own = reads.filter(({ forReader }) => !forReader);
  const list = own.find((read) => isFrames(read) && !read.isOfPending);
  if (list !== undefined)
    return mismatch("E2", "reads of a recovery", "the list of the pending response", "another list");
  if (event.type === "reopen") {
    const read = own.find(({ kind }) => kind === "readList" || scans.has(kind));
    return read && mismatch("E1", "reads of a reopen", "scalar values", describe(read));
  }
  if (event.type === "activate" && path === "up.recovering") {
    const read = own.find(({ kind }) => scans.has(kind));
    return read && mismatch("E2", "reads of a recovery", "the list of the pending response", describe(read));
  }
  if (event.type === "snapshot") {
    const read = reads.find(({ kind }) => kind === "scanEntries" || kind === "scanUsage" || kind === "scanValues");
    return read && mismatch("I3", "reads for a snapshot", "the branch, and the pending list", describe(read));
  }
  const isOfStream =
    event.type === "stream.start" || event.type === "stream.update" || event.type === "listener.release";
  const read = isOfStream ? own.find(isFrames) : undefined;
  return read && mismatch("A5", "reads of a stream", "none of the list", describe(read));
}

const isFrames = ({ kind, namespace }: Pick<SeenRead, "kind" | "namespace">): boolean =>
  kind === "readList" && namespace === framesNamespace;
