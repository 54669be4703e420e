/** Sets up a lane that is asked for by name: writes the scalars that it lacks (E1). */
import { branchTip, laneConfig, laneState } from "../../addresses/builtins.ts";
import type { LaneConfiguration, LaneState } from "../../durable/operation.ts";
import type { Plan } from "../../session/core.ts";
import { type LaneView, readStoredLane } from "../../session/lane-view.ts";
import type { Turn } from "../../session/line.ts";
import { setValue, type Write } from "../../storage/contract/writes.ts";
import type { HarnessOptions } from "../options.ts";

const idle: LaneState = { currentOperationId: null, lastOperationId: null, inbox: [] };

/** Writes what a lane lacks in one transaction; a complete lane is left as it is. */
export async function planLane(
  lane: string,
  options: HarnessOptions,
  view: LaneView | undefined,
  turn: Turn,
): Promise<Plan<void>> {
  if (view !== undefined) return { value: undefined };
  const stored = await turn.read((storage) => readStoredLane(storage, lane));
  const config: LaneConfiguration = stored.config ?? {
    model: { ...options.model },
    thinkingLevel: "off",
    activeToolNames: [],
  };
  const tipId = stored.tipId ?? null;
  const state = stored.laneState ?? idle;
  const writes: Write[] = [];
  if (stored.tipId === undefined) writes.push(setValue(branchTip(lane), tipId));
  if (stored.config === undefined) writes.push(setValue(laneConfig(lane), config));
  if (stored.laneState === undefined) writes.push(setValue(laneState(lane), state));
  const next = { lane, tipId, config, laneState: state, operation: undefined };
  return { writes, next, replied: () => undefined };
}
