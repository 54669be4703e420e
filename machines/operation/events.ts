/** Every event that the operation machine knows, one literal per case: the alphabet of the exploration. */
import { defectKinds, type OperationEvent, streamEnds } from "../vocabulary.ts";

const plain = [
  "accept",
  "activate",
  "activate.nowait",
  "permit",
  "cancel",
  "finalize",
  "crash",
  "reopen",
  "snapshot",
  "tick",
  "land",
  "reply",
  "fail",
  "lose_reply",
  "stream.start",
  "stream.update",
  "stream.covered",
  "listener.release",
  "hook.release",
  "tools.return",
  "late",
  "frames.cut",
  "frames.remove",
  "frames.lengthen",
] as const;

export const operationEvents: readonly OperationEvent[] = [
  ...plain.map((type) => ({ type })),
  ...streamEnds.map((end) => ({ type: "stream.end", end }) as const),
  { type: "close", kept: "overlapping" },
  { type: "close", kept: "head" },
  ...defectKinds.flatMap((defect) =>
    (["overlapping", "head"] as const).map((kept) => ({ type: "stream.defect", defect, kept }) as const),
  ),
];
