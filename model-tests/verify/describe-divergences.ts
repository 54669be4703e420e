/** Puts divergences into words: those with one cause together, each with its shortest schedule. */
import { requirements } from "../../machines/index.ts";
import type { KnownDivergence } from "../adapters/known-divergence.ts";
import { sequenceDiagram } from "../draw/sequence-diagram.ts";
import { counterexampleOf, type FoundOn } from "./counterexample.ts";
import type { Driven } from "./driven.ts";
import { knownAs } from "./known.ts";
import { labelsOf } from "./labels.ts";
import { minimise } from "./minimise.ts";
import type { Progress, VerifyOptions } from "./options.ts";
import type { DivergenceReport } from "./report.ts";
import { type Divergence, shapeOf, type Tally } from "./tally.ts";

/** Unlisted divergences that are minimised. The rest share their cause more often than not. */
const minimisedAtMost = 8;

/** Divergences that are one in a report: they look alike, or the list knows them under one name. */
interface Group {
  readonly known: KnownDivergence | undefined;
  /** The one with the shortest schedule first. */
  readonly divergences: readonly [Divergence, ...Divergence[]];
}

/** Divergences by how directly they point at their cause: unlisted first, then by the length of their schedules. */
export async function describeDivergences(
  { bounds, sut, store, stream }: VerifyOptions,
  { graph, subject, tally }: Driven,
  onProgress: (progress: Progress) => void,
): Promise<DivergenceReport[]> {
  const groups = groupsOf(tally, subject.known).sort(byDirectness);
  const reports: DivergenceReport[] = [];
  for (const [at, group] of groups.entries()) {
    onProgress({ phase: "minimising", done: at, total: groups.length });
    const [shortest] = group.divergences;
    const isMinimised = group.known === undefined && at < minimisedAtMost;
    const schedule = isMinimised ? await minimise(subject, graph, shortest) : shortest.schedule;
    const foundOn = { graph, bounds, sut, store, ...(stream !== undefined && { stream }) };
    reports.push(describe(foundOn, at + 1, group, { ...shortest, schedule }));
  }
  return reports;
}

function groupsOf(tally: Tally, list: readonly KnownDivergence[]): Group[] {
  const groups = new Map<string, { known: KnownDivergence | undefined; divergences: Divergence[] }>();
  for (const divergence of tally.divergences.values()) {
    const known = knownAs(list, divergence);
    const id = known?.id ?? shapeOf(divergence);
    const group = groups.get(id) ?? { known, divergences: [] };
    group.divergences.push(divergence);
    groups.set(id, group);
  }
  return [...groups.values()].map(({ known, divergences }) => ({
    known,
    divergences: divergences.sort(byLength) as [Divergence, ...Divergence[]],
  }));
}

const byLength = (a: Divergence, b: Divergence): number =>
  a.schedule.length - b.schedule.length || (a.key < b.key ? -1 : 1);

const byDirectness = (a: Group, b: Group): number =>
  Number(a.known !== undefined) - Number(b.known !== undefined) || byLength(a.divergences[0], b.divergences[0]);

/** @param shown the divergence of the group whose schedule a reader is shown. */
function describe(
  foundOn: FoundOn,
  number: number,
  { known, divergences }: Group,
  shown: Divergence,
): DivergenceReport {
  const { graph } = foundOn;
  const { field, expected, actual } = shown.mismatch;
  const requirement = known?.requirement ?? shown.mismatch.requirement;
  const races = [...new Set(divergences.flatMap((divergence) => [...divergence.races]))].sort();
  return {
    id: known?.id ?? `divergence-${number}`,
    requirement,
    sentence: requirements[requirement],
    ...(races[0] === undefined ? {} : { race: races[0] }),
    races,
    known: known !== undefined,
    ...(known === undefined ? {} : { summary: known.summary, why: known.why }),
    times: divergences.reduce((sum, { times }) => sum + times, 0),
    stepsLost: divergences.reduce((sum, { stepsLost }) => sum + stepsLost, 0),
    action: shown.action,
    schedule: labelsOf(graph, shown.schedule),
    expected: { [field]: expected },
    actual: { [field]: actual },
    sequenceDiagram: sequenceDiagram(graph, shown.schedule, shown.mismatch),
    counterexample: counterexampleOf(foundOn, shown),
  };
}
