/** The durable shapes are those of pi-agent-core. */
import type * as pi from "@earendil-works/pi-agent-core/harness/session";
import { expect, test } from "vitest";
import type { Entry, UsageRow } from "./entries.ts";
import type { LaneConfiguration, LaneState, OperationMeta, OperationResultRecord, PendingEntry } from "./operation.ts";
import type { OperationState } from "./state.ts";

/** Compiles only when every value of type `Ours` is a value of type `Theirs`. */
type Fits<Ours extends Theirs, Theirs> = [Ours, Theirs];

test("[A2] what is written at built-in addresses has the shapes of pi-agent-core", () => {
  const checked: [
    Fits<Entry, pi.Entry>?,
    Fits<UsageRow, pi.UsageRow>?,
    Fits<LaneConfiguration, pi.LaneConfiguration>?,
    Fits<LaneState, pi.LaneState>?,
    Fits<OperationMeta, pi.OperationMeta>?,
    Fits<OperationResultRecord, pi.OperationResultRecord>?,
    Fits<OperationState, pi.OperationState>?,
    Fits<PendingEntry, pi.PendingEntry>?,
  ] = [];

  expect(checked).toEqual([]);
});
