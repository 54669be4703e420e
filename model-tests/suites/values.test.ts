/** No field of a durable row is unseen: each is falsified in turn, and the checker must notice. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import { run } from "../drive/run.ts";
import { explore, type Graph } from "../explore/graph.ts";
import type { Schedule } from "../generate/schedule.ts";
import { packageRoot } from "../package-root.ts";
import { falsifying, leavesStored, withWrites } from "../testing/falsify.ts";
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

test("[A2] [O2] a wrong value in any field of any durable row is a finding", { timeout: 120_000 }, async () => {
  const graph = explore(boundsByName.small);
  const { schedules } = coverageTours(graph, "transitions");
  const withTools = edgesOf(graph, [
    ...["accept", "land", "reply", "activate", "land", "reply", "stream.start", "land", "reply", "listener.release"],
    ...["stream.end toolUse", "hook.release", "land", "reply", "land", "reply", "land", "reply"],
    ...["tool.return look", "land", "reply", "tool.return send", "land", "reply"],
  ]);
  const sample = [{ edges: withTools }, ...schedules.filter((_, at) => at % 3 === 0)];
  const shownBy = new Map<string, Schedule[]>();
  for (const [at, { edges }] of sample.entries()) {
    const schedule = { edges, content: at % 13 };
    const leaves = new Set<string>();
    const adapter = withWrites(referenceAdapter, (writes) => {
      for (const leaf of leavesStored(writes)) leaves.add(leaf);
      return writes;
    });
    await run({ adapter, newStore }, graph, edges, { content: schedule.content });
    for (const leaf of leaves) shownBy.set(leaf, [...(shownBy.get(leaf) ?? []), schedule].slice(0, triesAtMost));
  }
  const seenAs = new Map<string, Seen>();
  for (const [leaf, tries] of shownBy) seenAs.set(leaf, await seenOf(graph, leaf, tries));
  expect([...seenAs].flatMap(([leaf, { requirement }]) => (requirement === undefined ? [leaf] : []))).toEqual([]);
  await expect(pageOf(seenAs)).toMatchFileSnapshot(join(packageRoot(), "docs/generated/fields.md"));
});

/** As what a wrong value of a field is noticed; a reason where it is free. */
interface Seen {
  readonly requirement: string | undefined;
  readonly as: string;
}

async function seenOf(graph: Graph, leaf: string, tries: readonly Schedule[]): Promise<Seen> {
  const [, why] = exempt.find(([path]) => path.test(leaf)) ?? [];
  if (why !== undefined) return { requirement: "free", as: why };
  const adapter = withWrites(referenceAdapter, falsifying(leaf));
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
