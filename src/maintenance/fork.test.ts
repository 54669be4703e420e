/** Forks of generated sessions and of hand-made ones (L1). */
import { readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { value } from "../addresses/address.ts";
import { branchTip, entryLabel, laneConfig, laneState, sessionName } from "../addresses/builtins.ts";
import { ForkRefused } from "../errors.ts";
import { zeroUsage } from "../storage/contract/usage-totals.ts";
import { deleteValue, insertEntry, setValue } from "../storage/contract/writes.ts";
import { MemoryStorage } from "../storage/memory/memory.ts";
import {
  applicationList,
  applicationValues,
  configuration,
  type GeneratedLane,
  type GeneratedSession,
  generatedSession,
} from "../testing/maintenance/generated-sessions.ts";
import { commitAll, everythingIn, foldersOfTests, ticking } from "../testing/maintenance/new-sessions.ts";
import { type Source, storeNamed, storePairs, type TestedStore } from "../testing/storage/stores.ts";
import { forkSession } from "./fork.ts";
import type { ForkOptions } from "./fork-selection.ts";

const { newFolder } = foldersOfTests();

const idle = { currentOperationId: null, lastOperationId: null, inbox: [] };

const setUp = ({ lanes }: GeneratedSession) => lanes.filter(({ kind }) => kind !== "branch");
const idleOnes = ({ lanes }: GeneratedSession) => lanes.filter(({ kind }) => kind === "idle");
const namesOf = (lanes: readonly GeneratedLane[]) => lanes.map(({ name }) => name);

/** What to fork of a session, and which lanes those are. */
interface Scope {
  options(session: GeneratedSession): ForkOptions;
  lanes(session: GeneratedSession): readonly GeneratedLane[];
}

const scopes = fc.constantFrom<Scope>(
  { options: () => ({ scope: "tree" }), lanes: ({ lanes }) => lanes },
  { options: (session) => ({ scope: "lanes", lanes: namesOf(setUp(session)) }), lanes: setUp },
  { options: (session) => ({ scope: "lanes", lanes: namesOf(idleOnes(session)) }), lanes: idleOnes },
);

/** What a fork must have, asked of the source through its ordinary reads. */
async function expectFork(
  fork: Source,
  source: Source,
  lanes: readonly GeneratedLane[],
  whole: boolean,
): Promise<void> {
  const paths = await Promise.all(lanes.map(({ tip }) => (tip === null ? [] : source.scanBranch({ start: tip }))));
  const onPaths = new Map(paths.flat().map((entry) => [entry.id, entry]));
  const all = await source.scanEntries({});
  const entries = whole ? all : all.filter(({ id }) => onPaths.has(id));
  expect(await fork.scanEntries({})).toEqual(entries);
  expect(await fork.scanUsage({})).toEqual([]);
  expect(await fork.getStats()).toEqual({
    messageCount: entries.filter(({ type }) => type === "message").length,
    usage: zeroUsage(),
  });
  const inScope = new Set(namesOf(lanes));
  for (const at of [value("pi.branch.tip"), value("pi.lane.config")]) {
    const expected = (await source.scanValues(at)).filter(({ address }) => inScope.has(address.key));
    expect(await fork.scanValues(at)).toEqual(expected);
  }
  const states = (await fork.scanValues(laneState(""))).map(({ address, value: state }) => [address.key, state]);
  expect(states.sort()).toEqual(
    lanes
      .filter(({ kind }) => kind !== "branch")
      .map(({ name }) => [name, idle])
      .sort(),
  );
  const labels = (await source.scanValues(entryLabel(""))).filter(({ address }) => whole || onPaths.has(address.key));
  expect(await fork.scanValues(entryLabel(""))).toEqual(labels);
  expect(await fork.getValue(sessionName)).toEqual(await source.getValue(sessionName));
  expect(await fork.getValue(applicationValues)).toEqual(whole ? await source.getValue(applicationValues) : undefined);
  expect(await fork.readList(applicationList)).toEqual(whole ? await source.readList(applicationList) : []);
}

async function expectNothingOfOperations(fork: Source): Promise<void> {
  const { survivors } = await everythingIn(fork);
  const places = survivors.flatMap(({ write }) => ("namespace" in write ? [write.namespace] : []));
  expect(places.filter((namespace) => /^pi\.(op\.|pending\.|result$)/.test(namespace))).toEqual([]);
}

async function checkFork(
  { openIn }: TestedStore,
  target: TestedStore,
  session: GeneratedSession,
  scope: Scope,
  leaveBehind: boolean,
): Promise<void> {
  const source = await openIn(newFolder(), ticking());
  await commitAll(source, session.transactions);
  const before = await everythingIn(source);
  const options = { ...scope.options(session), ...(leaveBehind && { openOperations: "leaveBehind" as const }) };
  const lanes = scope.lanes(session);
  const folder = newFolder();
  const forking = forkSession(
    source,
    target.newIn(folder, () => 99),
    options,
  );
  if (!leaveBehind && lanes.some(({ kind }) => kind === "open")) {
    await expect(forking).rejects.toMatchObject({ constructor: ForkRefused, reason: "open_operation" });
    expect(readdirSync(folder)).toEqual([]);
  } else {
    const fork = await forking;
    await expectFork(fork, source, lanes, options.scope === "tree");
    await expectNothingOfOperations(fork);
    expect((await everythingIn(fork)).nextSeq).toBe(before.nextSeq);
    await fork.close();
  }
  expect(await everythingIn(source)).toEqual(before);
  await source.close();
}

describe.each(storePairs)("a fork of any session from %s to %s", (from, to) => {
  const source = storeNamed(from);
  const target = storeNamed(to);

  test("[L1][N12] has the lanes in scope, idle, and nothing of any operation; the source stays as it is", async () => {
    await fc.assert(
      fc.asyncProperty(generatedSession, scopes, fc.boolean(), (session, scope, leaveBehind) =>
        checkFork(source, target, session, scope, leaveBehind),
      ),
      { seed: 20_26, numRuns: 30 },
    );
  });
});

describe("a fork", () => {
  const note = (id: string, parentId: string | null) =>
    insertEntry({ id, parentId, type: "custom", customType: "note" });

  async function session(): Promise<MemoryStorage> {
    const storage = new MemoryStorage({ now: () => 7 });
    await storage.commit([
      note("root", null),
      note("child", "root"),
      note("other", "root"),
      setValue(branchTip("main"), "child"),
      setValue(laneConfig("main"), configuration),
      setValue(laneState("main"), idle),
      setValue(branchTip("notes"), "other"),
    ]);
    return storage;
  }

  /** What a fork of the session would have; asked for the image alone, so that no store matters. */
  const forked = async (source: MemoryStorage, options: ForkOptions) =>
    forkSession(
      source,
      async (image) => {
        const { survivors } = await everythingIn({ withImage: (use) => use(image) });
        return survivors.flatMap(({ write }) => (write.kind === "entry" ? [write.entry.id] : []));
      },
      options,
    );

  test.each<[string, string, ForkOptions]>([
    ["a lane that does not exist", "unknown_lane", { scope: "branch", branch: "none" }],
    ["named lanes of which one does not exist", "unknown_lane", { scope: "lanes", lanes: ["main", "none"] }],
    ["a branch that no harness drove", "unconfigured_lane", { scope: "branch", branch: "notes" }],
    ["an entry of another branch", "entry_not_on_branch", { scope: "branch", branch: "main", entryId: "other" }],
    ["an entry that does not exist", "entry_not_on_branch", { scope: "branch", branch: "main", entryId: "none" }],
  ])("[L1] of %s is refused (%s)", async (_what, reason, options) => {
    await expect(forked(await session(), options)).rejects.toMatchObject({ constructor: ForkRefused, reason });
  });

  test.each<[string[], ForkOptions]>([
    [["root", "child", "other"], { scope: "tree" }],
    [["root", "child"], { scope: "branch", branch: "main" }],
    [["root"], { scope: "branch", branch: "main", entryId: "root" }],
    [["root"], { scope: "branch", branch: "main", position: "before" }],
    [[], { scope: "branch", branch: "main", entryId: "root", position: "before" }],
    [[], { scope: "lanes", lanes: [] }],
  ])("[L1] has the entries %j with %j", async (entries, options) => {
    expect(await forked(await session(), options)).toEqual(entries);
  });

  test.each<ForkOptions>([{ scope: "tree" }, { scope: "branch", branch: "main" }])(
    "[L1] of a tip that does not exist is refused with %j",
    async (options) => {
      const source = await session();
      await source.commit([setValue(branchTip("main"), "none")]);
      await expect(forked(source, options)).rejects.toMatchObject({ reason: "unknown_entry" });
    },
  );

  test.each(["pi", "pi.unknown"])("[L1] is refused while there is something in the namespace %s", async (namespace) => {
    const source = await session();
    await source.commit([setValue(value<number>(namespace), 1)]);
    await expect(forked(source, { scope: "tree" })).rejects.toMatchObject({ reason: "unknown_reserved_state" });
    await source.commit([deleteValue(value(namespace))]);
    expect(await forked(source, { scope: "tree" })).toHaveLength(3);
  });
});
