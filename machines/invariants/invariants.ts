/**
 * The invariants, one file for each section of the requirements. Each invariant says how often its premise held: one whose
 * premise never held has checked nothing, and fails the run.
 */
import { deferred } from "./deferred.ts";
import { events } from "./events.ts";
import type { Invariant } from "./judging.ts";
import { operation } from "./operation.ts";
import { recovery } from "./recovery.ts";
import { settlement } from "./settlement.ts";
import { snapshots } from "./snapshots.ts";
import { stopping } from "./stopping.ts";
import { tools } from "./tools.ts";
import { wholeHistory } from "./whole-history.ts";

/** Every invariant, in the order in which reports name them. */
export const invariants: readonly Invariant[] = [
  ...wholeHistory,
  ...settlement,
  ...stopping,
  ...operation,
  ...deferred,
  ...events,
  ...snapshots,
  ...recovery,
  ...tools,
];
