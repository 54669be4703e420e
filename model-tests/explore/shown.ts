/** What of a state an observer can count on: where the drive may be in two minds, nobody compares it. */
import type { OperationPath } from "../../machines/index.ts";
import type { GraphNode } from "./graph.ts";

/** Places where the drive has nothing left to wait for but may still be doing so. */
const unwatched: ReadonlySet<string> = new Set<OperationPath>([
  "up.cancelled.committing",
  "up.contested",
  "up.deferred.contested",
]);

/** Whether it shows what the drive waits for. After it has stopped, what it left behind is its own affair. */
export const showsParked = ({ expected, path }: GraphNode): boolean =>
  expected.process === "up" && expected.drive && !unwatched.has(path);

/** Whether it shows that a drive is at work. In one place its activation may have been told already that the operation is suspended. */
export const showsDrive = ({ expected, path }: GraphNode): boolean =>
  expected.process === "up" && path !== ("up.deferred.contested" satisfies OperationPath);
