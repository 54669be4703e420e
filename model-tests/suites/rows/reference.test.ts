/** The reference, row by row and transition by transition, and how a failure of such a test reads. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { boundsByName, races, stateName } from "../../../machines/index.ts";
import { MemoryStorage } from "../../../src/index.ts";
import { referenceAdapter } from "../../adapters/reference.ts";
import { explore } from "../../explore/graph.ts";
import { planRace, roadsOf } from "../../generate/race-schedules.ts";
import { isMainCase } from "../../generate/schedule.ts";
import { tours } from "../../generate/tours.ts";
import { cli } from "../../testing/cli.ts";
import { driveSuite, type Suite } from "./suite.ts";

const folder = mkdtempSync(join(tmpdir(), "durability-suite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const suite: Suite = {
  subject: { adapter: referenceAdapter, newStore: () => new MemoryStorage({ now: () => 0 }) },
  graph: explore(boundsByName.small),
  bounds: "small",
  folder,
};
const roads = roadsOf(suite.graph, new Set(), new Set());

describe("the reference, row by row of the race table", () => {
  test.each(races.map((race) => [race.id, race.title, race.requirements.join(", "), race] as const))(
    "%s %s [%s]",
    async (id, title, _requirements, race) => {
      const { schedules, enablingStates } = planRace(race, roads, "all");
      const tally = await driveSuite(suite, `${id} ${title}`, schedules);
      expect(enablingStates).toBeGreaterThan(0);
      for (const order of tally.races.get(id) ?? []) {
        expect(order.schedules).toBeGreaterThan(0);
        expect(order.notOffered).toBe(0);
      }
    },
  );
});

describe("the reference, transition by transition of every state", () => {
  const states = [...new Set(suite.graph.nodes.map(({ path }) => path))].sort();
  test.each(states.map((path) => [stateName(path), path] as const))("%s", async (name, path) => {
    const leaving = suite.graph.edges.filter((edge) => suite.graph.nodes[edge.from]?.path === path && isMainCase(edge));
    const required = new Set(leaving);
    const { schedules } = tours(suite.graph, (edge) => required.has(edge), isMainCase);
    const tally = await driveSuite(suite, `state ${name}`, schedules);
    expect(leaving.length).toBeGreaterThan(0);
    expect(leaving.filter(({ index }) => !tally.covered[index])).toEqual([]);
  });
});

describe("a generated test that fails", () => {
  const deaf: Suite = {
    ...suite,
    subject: {
      ...suite.subject,
      adapter: {
        ...referenceAdapter,
        boot: async (surroundings) => ({
          ...(await referenceAdapter.boot(surroundings)),
          cancel: () => Promise.resolve("ok" as const),
        }),
      },
    },
  };

  test("names itself and prints a command that replays it", async () => {
    const [race] = races.filter(({ id }) => id === "X1");
    if (race === undefined) throw new Error("Row X1 is gone");
    const failing = driveSuite(deaf, "X1 of a harness that ignores cancel", planRace(race, roads).schedules);
    const error: unknown = await failing.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const message = error instanceof Error ? error.message : "";
    expect(message).toMatch(/^X1 of a harness that ignores cancel: \d+ divergences?/);

    const command = /^replay: npm run durability -- (.+)$/m.exec(message)?.[1] ?? "";
    expect(JSON.parse(readFileSync(command.split(" ")[1] ?? "", "utf8"))).toHaveProperty("schedule");
    // The real reference heeds cancel: replayed on it, the divergence is gone.
    expect((await cli(...command.split(" "))).code).toBe(0);
  });
});
