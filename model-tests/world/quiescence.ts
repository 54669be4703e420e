/** Waits until the implementation can do nothing more on its own. */
import type { World } from "./world.ts";

// Captured before any fake timers: a real turn of the event loop, after which every microtask has run.
const nextTurn = globalThis.setImmediate;

const turnLimit = 10_000;

/** The harness kept moving for longer than any schedule step needs. */
export class NoQuiescence extends Error {
  override readonly name = "NoQuiescence";
  constructor() {
    super(`the harness did not come to rest within ${turnLimit} turns of the event loop`);
  }
}

/** @param extraTurns further turns to grant after rest was seen; the determinism check asks for some. */
export function quiescence(world: World, extraTurns = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    let turns = 0;
    let quietTurns = 0;
    let before = world.activity;
    const afterTurn = (): void => {
      const quiet = world.activity === before && world.openStoreCalls === 0;
      quietTurns = quiet ? quietTurns + 1 : 0;
      before = world.activity;
      if (quietTurns > extraTurns) resolve();
      else if (++turns === turnLimit) reject(new NoQuiescence());
      else nextTurn(afterTurn);
    };
    nextTurn(afterTurn);
  });
}
