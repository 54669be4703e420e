/** No field of a durable row, an event or a request is unseen: each is falsified in turn, and the checker must notice. */
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import type { Adapter } from "../adapters/adapter.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import { contentNames } from "../contents/catalogue.ts";
import { run } from "../drive/run.ts";
import { explore, type Graph } from "../explore/graph.ts";
import type { Schedule } from "../generate/schedule.ts";
import { packageRoot } from "../package-root.ts";
import { changing, falsifying, leavesIn, leavesStored, withWords, withWrites } from "../testing/falsify.ts";
import { exploringMs } from "../testing/graphs.ts";
import { newStore } from "../testing/subjects.ts";
import { coverageTours } from "../verify/coverage.ts";
import { divergencesOf } from "../verify/judge-run.ts";
import { edgesOf } from "../verify/labels.ts";

/** What the specification leaves to the harness, by the reason. Nothing that it promises depends on these. */
const exempt: readonly (readonly [path: RegExp, why: string])[] = [
  [/^pi\.op\.state .*\.settings\./, "settings of the application, which nothing here reads"],
  [/\.retryPolicy\.maxAgentDelayMs$/, "a cap of the harness's choice; each delay is compared with it"],
  [/^pi\.lane\.config\.activeToolNames/, "the tools of the application"],
  [/^pi\.op\.tool_args/, "the harness's own, gone at the end"],
  [/\.diagnostics\[\]/, "reports of the harness, in its own words"],
];

/** Enough schedules to show a field, where one alone may end before anybody looks at it. */
const triesAtMost = 40;

/** Drives the same schedules on a harness whose values are looked at, or changed, on their way. */
interface Lens {
  /** Notes the leaves that a run shows. */
  readonly showing: (note: (leaves: readonly string[]) => void) => Adapter;
  /** Another value at this leaf. */
  readonly falsifying: (leaf: string) => Adapter;
}

const rows: Lens = {
  showing: (note) =>
    withWrites(referenceAdapter, (writes) => {
      note(leavesStored(writes));
      return writes;
    }),
  falsifying: (leaf) => withWrites(referenceAdapter, falsifying(leaf)),
};

const words: Lens = {
  showing: (note) =>
    withWords(referenceAdapter, (kind, value) => {
      note(leavesIn(kind, value));
      return value;
    }),
  falsifying: (leaf) => withWords(referenceAdapter, changing(leaf)),
};

/** @returns as what a wrong value of each leaf is noticed. */
async function falsifyAll(
  { showing, falsifying: falsify }: Lens,
  schedules: readonly Schedule[],
): Promise<Map<string, Seen>> {
  const shownBy = new Map<string, Schedule[]>();
  for (const schedule of schedules) {
    const leaves = new Set<string>();
    const adapter = showing((shown) => {
      for (const leaf of shown) leaves.add(leaf);
    });
    await run({ adapter, newStore }, graph, schedule.edges, { content: schedule.content ?? 0 });
    for (const leaf of leaves) shownBy.set(leaf, [...(shownBy.get(leaf) ?? []), schedule].slice(0, triesAtMost));
  }
  const seenAs = new Map<string, Seen>();
  for (const [leaf, tries] of shownBy) seenAs.set(leaf, await seenOf(leaf, falsify(leaf), tries));
  return seenAs;
}

let graph: Graph;
let schedules: readonly Schedule[];
beforeAll(() => {
  graph = explore(boundsByName.small);
  const withTools = edgesOf(graph, [
    ...["accept", "land", "reply", "activate", "land", "reply", "stream.start", "land", "reply", "listener.release"],
    ...["stream.end toolUse", "hook.release", "land", "reply", "land", "reply", "land", "reply"],
    ...["tool.return look", "land", "reply", "tool.return send", "land", "reply", "land", "reply"],
  ]);
  const tours = coverageTours(graph, "transitions").schedules.filter((_, at) => at % 3 === 0);
  // Recovers a long list of frames, which carries all that a content says.
  const recovered = edgesOf(graph, [
    ...["accept", "land", "reply", "activate", "land", "reply", "stream.start", "land"],
    ...["crash", "frames.lengthen", "reopen", "activate", "land", "reply"],
  ]);
  const each = contentNames.map(() => ({ edges: recovered }));
  schedules = [...each, { edges: withTools }, ...tours].map(({ edges }, at) => ({
    edges,
    content: at % contentNames.length,
  }));
}, exploringMs);

const unseen = (seenAs: ReadonlyMap<string, Seen>): string[] =>
  [...seenAs].flatMap(([leaf, { requirement }]) => (requirement === undefined ? [leaf] : []));

test("[A2] [O2] a wrong value in any field of any durable row is a finding", { timeout: 300_000 }, async () => {
  const seenAs = await falsifyAll(rows, schedules);
  expect(unseen(seenAs)).toEqual([]);
  await expect(pageOf(seenAs)).toMatchFileSnapshot(join(packageRoot(), "docs/generated/fields.md"));
});

test("[J1] [J3] [E8] a wrong value in any field of an event, a request, a hook call or a tool call is a finding", {
  timeout: 300_000,
}, async () => {
  const some = schedules.filter((_, at) => at % 4 === 0);
  const seenAs = await falsifyAll(words, some);
  expect(unseen(seenAs)).toEqual([]);
  expect(new Set([...seenAs.keys()].map((leaf) => leaf.split(/[.[]/)[0]))).toEqual(
    new Set([
      ...["event message_start", "event message_update", "event message_end", "event entry_added", "event usage"],
      ...["event operation_end", "request messages", "after_response", "tool call"],
    ]),
  );
});

/** As what a wrong value of a field is noticed; a reason where it is free. */
interface Seen {
  readonly requirement: string | undefined;
  readonly as: string;
}

async function seenOf(leaf: string, adapter: Adapter, tries: readonly Schedule[]): Promise<Seen> {
  const [, why] = exempt.find(([path]) => path.test(leaf)) ?? [];
  if (why !== undefined) return { requirement: "free", as: why };
  for (const schedule of tries) {
    const { content = 0 } = schedule;
    const result = await run({ adapter, newStore }, graph, schedule.edges, { content });
    const [first] = divergencesOf({ graph, schedule, result });
    if (first !== undefined) return { requirement: first.mismatch.requirement, as: first.mismatch.field };
  }
  return { requirement: undefined, as: "nothing" };
}

const head = `# Fields

Every field of every durable row, and what the checker says when it is wrong. A test falsifies each of them in turn
(\`model-tests/suites/values.test.ts\`), and writes this page: \`npx vitest run model-tests/suites/values.test.ts --update\`.

| field | requirement | noticed as |
| --- | --- | --- |
`;

const pageOf = (seenAs: ReadonlyMap<string, Seen>): string =>
  head +
  [...seenAs]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([leaf, { requirement, as }]) => `| \`${leaf}\` | ${requirement} | ${as} |\n`)
    .join("");
