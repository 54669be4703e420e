/** Implementations to drive in a test: the reference, and the reference with calls that misbehave. */
import { MemoryStorage, type Storage } from "../../src/index.ts";
import type { Adapter, Incarnation } from "../adapters/adapter.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import type { Subject } from "../drive/run.ts";

export const newStore = (): Storage => new MemoryStorage({ now: () => 0 });

export const reference: Subject = { adapter: referenceAdapter, newStore };

/** The reference adapter with some calls of its incarnation replaced. */
export function misbehaving(change: (incarnation: Incarnation) => Partial<Incarnation>, name = "misbehaving"): Subject {
  const adapter: Adapter = {
    ...referenceAdapter,
    name,
    boot: async (surroundings) => {
      const incarnation = await referenceAdapter.boot(surroundings);
      return { ...incarnation, ...change(incarnation) };
    },
  };
  return { adapter, newStore };
}

/** An implementation that refuses every cancel. */
export const refusesCancel = misbehaving(() => ({ cancel: () => Promise.resolve("refused") }), "refuses cancel");
