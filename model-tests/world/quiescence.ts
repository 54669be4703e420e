/** Waits until the implementation can do nothing more on its own. */
import type { World } from "./world.ts";

// Captured before any fake timers: a real turn of the event loop, after which every microtask has run.
const nextTurn = globalThis.setImmediate;
const turn = (): Promise<void> => new Promise((resolve) => void nextTurn(resolve));

const turnLimit = 10_000;

/** The harness kept moving for longer than any schedule step needs. */
export class NoQuiescence extends Error {
  override readonly name = "NoQuiescence";
  constructor() {
    super(`the harness did not come to rest within ${turnLimit} turns of the event loop`);
  }
}

/** @param extraTurns further turns to grant after rest was seen; the determinism check asks for some. */
export async function quiescence(world: World, extraTurns = 0): Promise<void> {
  let quietTurns = 0;
  for (let turns = 0; turns < turnLimit; turns++) {
    const before = world.activity;
    await turn();
    const quiet = world.activity === before && world.openStoreCalls === 0;
    quietTurns = quiet ? quietTurns + 1 : 0;
    if (quietTurns > extraTurns) return;
  }
  throw new NoQuiescence();
}
