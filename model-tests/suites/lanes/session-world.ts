/**
 * The world around a harness with two lanes: one world for each lane, as a harness with one lane has it, over one store. What
 * the harness asks for is handed to the world of the lane that it is about.
 */

import type { Context } from "@earendil-works/pi-ai";
import { type LaneName, laneNames, type PerLane, perLane } from "../../../machines/index.ts";
import type { Storage } from "../../../src/index.ts";
import type { Adapter, Incarnation, Surroundings } from "../../adapters/adapter.ts";
import { anomaly } from "../../world/anomalies.ts";
import type { Restless } from "../../world/quiescence.ts";
import { World } from "../../world/world.ts";
import { type AtStore, OneStore } from "./one-store.ts";
import { storeOfLane } from "./renamed-store.ts";

/** Requests of lane `b` are counted from here: a number, and every text of the provider, tells the lane. */
const requestsBefore: PerLane<number> = { a: 0, b: 1_000_000 };

export class SessionWorld implements Restless {
  readonly worlds: PerLane<World>;
  readonly #adapter: Adapter;
  readonly #store: OneStore;
  #given: Partial<Record<LaneName, Surroundings>> = {};
  #booting: Promise<PerLane<Incarnation>> | undefined;

  constructor(adapter: Adapter, inner: Storage, maxAttempts: number) {
    this.#adapter = adapter;
    this.worlds = perLane(
      (lane) => new World(this.#adapterOf(lane), storeOfLane(inner, lane), maxAttempts, requestsBefore[lane]),
    );
    this.#store = new OneStore(this.worlds);
  }

  get activity(): number {
    return this.worlds.a.activity + this.worlds.b.activity;
  }

  get openStoreCalls(): number {
    return this.worlds.a.openStoreCalls + this.worlds.b.openStoreCalls;
  }

  get atStore(): readonly AtStore[] {
    return this.#store.waiting;
  }

  /** Start one process for both lanes over the same store. */
  async boot(): Promise<void> {
    this.#booting = undefined;
    await Promise.all(laneNames.map((lane) => this.worlds[lane].boot()));
  }

  kill(): void {
    for (const lane of laneNames) this.worlds[lane].kill();
  }

  /** Each world boots its own process; the harness boots once, when it has been given the surroundings of both. */
  #adapterOf(lane: LaneName): Adapter {
    return {
      ...this.#adapter,
      boot: async (surroundings) => {
        this.#given = { ...this.#given, [lane]: surroundings };
        await Promise.resolve();
        this.#booting ??= this.#bootTogether(this.#given as PerLane<Surroundings>);
        return (await this.#booting)[lane];
      },
    };
  }

  async #bootTogether(given: PerLane<Surroundings>): Promise<PerLane<Incarnation>> {
    const { name, bootLanes } = this.#adapter;
    if (bootLanes === undefined) throw new Error(`The adapter "${name}" has no lanes but one`);
    const incarnations = await bootLanes(this.#together(given), laneNames);
    return perLane((lane) => withLaneInPrompt(incarnations[laneNames.indexOf(lane)] as Incarnation, lane));
  }

  #together(given: PerLane<Surroundings>): Surroundings {
    const { models } = given.a;
    const ofContext = (context: Context): Surroundings["models"] => given[this.#laneOfContext(context)].models;
    return {
      ...given.a,
      storage: this.#store.of(perLane((lane) => given[lane].storage)),
      models: {
        ...models,
        streamSimple: (model, context, options) => ofContext(context).streamSimple(model, context, options),
      },
      afterResponse: (message) => given[laneOfId(message.responseId)].afterResponse(message),
      runTool: (call) => given[laneOfId(call.toolCallId)].runTool(call),
      deliver: async (event, lane) => {
        // What the whole harness tells, both lanes hear.
        const told = laneNames.filter((it) => lane === undefined || it === lane);
        await Promise.all(
          told.map((it) => {
            const delivered = given[it].deliver(event);
            this.worlds[it].release("listener");
            return delivered;
          }),
        );
      },
    };
  }

  /** A request is of the lane whose prompts it carries, and carries those of no other. */
  #laneOfContext({ messages }: Context): LaneName {
    const text = JSON.stringify(messages);
    const lanes = laneNames.filter((lane) => text.includes(promptOf(lane)));
    const [lane] = lanes;
    if (lane === undefined || lanes.length > 1) {
      this.worlds.a.record.anomalies.push(anomaly("a request with prompts of other lanes", `of ${lanes.length} lanes`));
    }
    return lane ?? "a";
  }
}

const promptOf = (lane: LaneName): string => `On lane ${lane}:`;

/** Provider ids end in the number of the request that they stem from. */
const laneOfId = (id: string | undefined): LaneName => (Number(id?.match(/\d+$/)?.[0]) > requestsBefore.b ? "b" : "a");

const withLaneInPrompt = (incarnation: Incarnation, lane: LaneName): Incarnation => ({
  accept: (prompt) => incarnation.accept(`${promptOf(lane)} ${prompt}`),
  activate: (options) => incarnation.activate(options),
  cancel: (operationId) => incarnation.cancel(operationId),
  finalize: () => incarnation.finalize(),
  snapshot: () => incarnation.snapshot(),
  watch: (listener) => incarnation.watch(listener),
  close: () => incarnation.close(),
});
