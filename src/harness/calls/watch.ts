/** The call `watch`: a snapshot, and every event after it (I5). */
import type { HarnessEvent, Listener } from "../listening/events.ts";
import type { Subscriber } from "../listening/subscriber.ts";
import type { LaneRuntime } from "../state/runtime.ts";
import { captureSnapshot, type LaneSnapshot } from "./snapshot.ts";

/** A snapshot and the events after it. */
export interface LaneWatch {
  readonly snapshot: LaneSnapshot;
  /**
   * Delivers the events since the snapshot, then each later one. Each waits for the one before. No stream and no other
   * listener waits for this one: when it is slow, events pile up.
   */
  start(listener: Listener): void;
  unsubscribe(): void;
}

/** Subscribes in the instant of the snapshot; events are held until `start` (I5). */
export async function watchLane(runtime: LaneRuntime): Promise<LaneWatch> {
  const { hub } = runtime.scope;
  let listener: Listener | undefined;
  let subscriber: Subscriber | undefined;
  const pass: Listener = (event) => (concerns(event, runtime.name) ? listener?.(event) : undefined);
  const unsubscribe = () => {
    if (subscriber !== undefined) hub.unsubscribe(subscriber);
  };
  try {
    const snapshot = await captureSnapshot(runtime, () => {
      subscriber = hub.watch(pass);
    });
    const start = (chosen: Listener) => {
      listener = chosen;
      subscriber?.start();
    };
    return { snapshot, start, unsubscribe };
  } catch (error) {
    unsubscribe();
    throw error;
  }
}

function concerns(event: HarnessEvent, lane: string): boolean {
  return !("lane" in event) || event.lane === lane;
}
