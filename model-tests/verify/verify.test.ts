/** A whole verification at small bounds: it passes on the reference, and fails on a broken harness. */
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName, invariants, races } from "../../machines/index.ts";
import { run } from "../drive/run.ts";
import { UsageError } from "../errors.ts";
import { explore } from "../explore/graph.ts";
import type { StoreName } from "../stores/named-stores.ts";
import { exploringMs } from "../testing/graphs.ts";
import { refusesCancel } from "../testing/subjects.ts";
import { assertSameMachine, parseCounterexample } from "./counterexample.ts";
import { edgesOf } from "./labels.ts";
import { type Progress, type VerifyOptions, verifyDefaults } from "./options.ts";
import type { DivergenceReport, Report } from "./report.ts";
import { bytesOf, parseShare, type Share, sumOf } from "./share.ts";
import { loadSubject } from "./subject.ts";
import { reportOf, verify } from "./verify.ts";

const refusesCancelModule = fileURLToPath(new URL("../testing/refusing-adapter.ts", import.meta.url));
const smallRaces: VerifyOptions = { ...verifyDefaults, bounds: "small", criterion: "rows" };

describe("the reference on every row of the race table", () => {
  let report: Report;
  const progress: Progress[] = [];
  beforeAll(async () => {
    report = await verify(smallRaces, (step) => progress.push(step));
  }, exploringMs);

  test("passes, and its report can be sent as it is", () => {
    expect(report.divergences).toEqual([]);
    expect(report.failures).toEqual([]);
    expect(report.passed).toBe(true);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test("checks something in both orders of each row, with crashes in between", () => {
    expect(report.races.map(({ id }) => id)).toEqual(races.map(({ id }) => id));
    for (const { id, status, enablingStates, orders } of report.races) {
      expect(status, id).toBe("holds");
      expect(enablingStates, id).toBeGreaterThan(0);
      for (const { schedules, failed } of orders) {
        expect(schedules, id).toBeGreaterThan(0);
        expect(failed, id).toBe(0);
      }
    }
    expect(report.races.reduce((points, { crashPoints }) => points + crashPoints, 0)).toBeGreaterThan(0);
  });

  test("meets the premise of every invariant and violates none", () => {
    expect(report.invariants.map(({ id }) => id)).toEqual(invariants.map(({ id }) => id));
    for (const { id, premiseHeld, violated, checked } of report.invariants) {
      expect(premiseHeld, id).toBeGreaterThan(0);
      expect(violated, id).toBe(0);
      expect(checked, id).toBe(report.schedules);
    }
  });

  test("says what was explored, twice, and that a sample ran the same again", () => {
    const { independent, ...model } = report.model;

    expect(independent).toEqual({ states: model.states, transitions: model.transitions });
    expect(report.determinism).toMatchObject({ schedules: 30, differences: 0 });
    expect(report.complete).toBe(true);
  });

  test("tells of its progress to the end of each phase", () => {
    expect([...new Set(progress.map(({ phase }) => phase))]).toEqual(["exploring", "coverage", "races", "determinism"]);
    expect(progress.findLast(({ phase }) => phase === "races")).toMatchObject({
      done: report.schedules,
      total: report.schedules,
    });
  });
});

describe("an implementation that refuses every cancel", () => {
  const options: VerifyOptions = { ...smallRaces, sut: refusesCancelModule, races: ["X12"] };
  let report: Report;
  beforeAll(async () => {
    report = await verify(options);
  }, exploringMs);

  test("fails, and the report says why", () => {
    expect(report.passed).toBe(false);
    expect(report.failures).toEqual([expect.stringMatching(/^\d+ unlisted divergences?$/)]);
    expect(report.races).toMatchObject([{ id: "X12", status: "fails" }]);
    expect(report.sut.name).toBe("refuses cancel");
  });

  test("has a counterexample that fails in the same way when its text is replayed", async () => {
    const [divergence] = report.divergences as [DivergenceReport, ...DivergenceReport[]];
    const graph = explore(boundsByName.small);

    const read = parseCounterexample(JSON.stringify(divergence.counterexample), "counterexample.json");
    assertSameMachine(read, graph, "counterexample.json");
    const { end } = await run(refusesCancel, graph, edgesOf(graph, read.schedule));

    expect(read.schedule.at(-1)).toBe("cancel");
    expect(end).toMatchObject({
      kind: "diverged",
      mismatch: { field: read.field, expected: read.expected, actual: read.actual, requirement: read.requirement },
    });
    expect(divergence).toMatchObject({ known: false, races: ["X12"], requirement: read.requirement });
    expect(divergence.sentence.length).toBeGreaterThan(20);
  });
});

describe("options", () => {
  const options: VerifyOptions = { ...smallRaces, races: ["R8", "X11"] };
  let whole: Report;
  beforeAll(async () => {
    whole = await verify(options);
  }, exploringMs);

  test("the same seed gives the same result, on one thread or on two", async () => {
    const timeless = ({ model, durationMs, driveMs, stepsPerSecond, workers, ...rest }: Report) => rest;

    expect(timeless(await verify({ ...options, workers: 2 }))).toEqual(timeless(whole));
  });

  test("shards share the schedules without a rest", async () => {
    const shares = [
      await verify({ ...options, shard: { index: 1, of: 2 } }),
      await verify({ ...options, shard: { index: 2, of: 2 } }),
    ];

    expect(shares.reduce((sum, { schedules }) => sum + schedules, 0)).toBe(whole.schedules);
    expect(shares.map(({ shard }) => shard)).toEqual(["1/2", "2/2"]);
  });

  test("a share without any schedule of a row passes, and the sum of all shares is the report of one run", async () => {
    const shares: Share[] = [];
    for (const index of [1, 2, 3]) {
      const part = { ...options, races: ["X11"], shard: { index, of: 3 } };
      expect((await verify(part, undefined, { share: (share) => shares.push(share) })).failures).toEqual([]);
    }
    const subject = await loadSubject(options);
    const kept = shares.map((share) => parseShare(bytesOf(share), "share.bin"));

    const sum = sumOf(kept, subject);
    const report = await reportOf(sum.options, sum.driven, performance.now(), () => {}, {});

    const one = await verify({ ...options, races: ["X11"] });
    const counted = ({ schedules, steps, coverage, races: rows, invariants: judged, failures, shard }: Report) => [
      schedules,
      steps,
      coverage,
      rows,
      judged,
      failures,
      shard,
    ];
    expect(counted(report)).toEqual(counted(one));
    expect(() => sumOf(kept.slice(1), subject)).toThrow(/share 1\/3/);
    expect(() => sumOf([...kept, ...kept], subject)).toThrow(/twice/);
  });

  test("a budget that runs out proves nothing", async () => {
    const report = await verify({ ...options, budgetMs: 0 });

    expect(report).toMatchObject({ passed: false, complete: false });
    expect(report.failures).toContainEqual(expect.stringContaining("inconclusive"));
  });
});

describe("the system under test", () => {
  const load = (sut: string, store = "memory") => loadSubject({ sut, store: store as StoreName });

  test("is found by its name or by the path of a module", async () => {
    expect((await load("reference")).adapter.name).toBe("reference");
    expect((await load(refusesCancelModule)).adapter.name).toBe("refuses cancel");
  });

  test.each([
    ["an unknown name", "no-such-harness", "memory", /Unknown system under test "no-such-harness"/],
    ["an unknown store", "reference", "paper", /Unknown store "paper"\. Known: .*memory/],
    ["a module without an adapter", fileURLToPath(new URL("./labels.ts", import.meta.url)), "memory", /no adapter/],
  ])("%s is refused in one line", async (_name, sut, store, complaint) => {
    await expect(load(sut, store)).rejects.toThrow(UsageError);
    await expect(load(sut, store)).rejects.toThrow(complaint);
  });
});
