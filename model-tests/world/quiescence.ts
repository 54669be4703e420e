/** Waits until the implementation can do nothing more on its own. */
import { NoQuiescence } from "../errors.ts";

// Captured before any fake timers: a real turn of the event loop, after which every microtask has run.
const nextTurn = globalThis.setImmediate;

const turnLimit = 10_000;

/** What comes to rest. */
export interface Restless {
  /** Grows whenever something is done to it. */
  readonly activity: number;
  readonly openStoreCalls: number;
}

interface Waiting {
  readonly world: Restless;
  readonly quietTurnsNeeded: number;
  /** The world's counter when the turn began. */
  activity: number;
  turns: number;
  quietTurns: number;
  resolve(): void;
  reject(reason: NoQuiescence): void;
}

/** @param extraTurns further turns to grant after rest was seen; the determinism check asks for some. */
export function quiescence(world: Restless, extraTurns = 0): Promise<void> {
  const { activity } = world;
  return new Promise((resolve, reject) => {
    const quietTurnsNeeded = 1 + extraTurns;
    nextTurn(afterTurn, { world, quietTurnsNeeded, activity, turns: 0, quietTurns: 0, resolve, reject });
  });
}

function afterTurn(waiting: Waiting): void {
  const { world } = waiting;
  const quiet = world.activity === waiting.activity && world.openStoreCalls === 0;
  waiting.quietTurns = quiet ? waiting.quietTurns + 1 : 0;
  waiting.activity = world.activity;
  if (waiting.quietTurns === waiting.quietTurnsNeeded) waiting.resolve();
  // How many turns a disk takes says nothing about the harness; that it answers at all is up to its store.
  else if (world.openStoreCalls === 0 && ++waiting.turns === turnLimit) waiting.reject(new NoQuiescence(turnLimit));
  else nextTurn(afterTurn, waiting);
}
