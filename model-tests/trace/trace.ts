/** Which checks serve which requirement: a pure function of the specification and of what the sources say. */
import { invariants, type RequirementId, races, requirementIds, requirements } from "../../machines/index.ts";

/** What the sources say for themselves. It is kept as data, because an installed package has no sources. */
export interface Evidence {
  /** By test file, the full titles of the tests that name a requirement. */
  readonly namedTests: Readonly<Record<string, readonly string[]>>;
  /** By module of the checker and by requirement, the observed fields that it compares on its behalf. */
  readonly comparisons: Readonly<Record<string, Readonly<Partial<Record<RequirementId, readonly string[]>>>>>;
}

/** Requirements that this project does not serve yet, each with the reason. */
export type Unserved = Readonly<Partial<Record<RequirementId, string>>>;

export interface TraceRow {
  readonly id: RequirementId;
  readonly sentence: string;
  /** Titles of the invariants. */
  readonly invariants: readonly string[];
  /** Ids of the race rows. */
  readonly races: readonly string[];
  readonly comparisons: readonly { readonly module: string; readonly fields: readonly string[] }[];
  readonly tests: readonly { readonly file: string; readonly titles: readonly string[] }[];
  /** Whether something would fail if the requirement were broken. */
  readonly checked: boolean;
  /** Why nothing has to check it yet. */
  readonly unserved?: string;
}

export function traceRows(evidence: Evidence, unserved: Unserved): TraceRow[] {
  const testsOf = testsByRequirement(evidence);
  return requirementIds.map((id): TraceRow => {
    const row = {
      id,
      sentence: requirements[id],
      invariants: invariants.filter((invariant) => invariant.id === id).map(({ title }) => title),
      races: races.filter((race) => race.requirements.includes(id)).map((race) => race.id),
      comparisons: Object.entries(evidence.comparisons).flatMap(([module, { [id]: fields = [] }]) =>
        fields.length > 0 ? [{ module, fields }] : [],
      ),
      tests: testsOf.get(id) ?? [],
    };
    const checked = [row.invariants, row.races, row.comparisons, row.tests].some((found) => found.length > 0);
    const reason = unserved[id];
    return { ...row, checked, ...(reason !== undefined && { unserved: reason }) };
  });
}

function testsByRequirement({ namedTests }: Evidence): Map<string, { file: string; titles: string[] }[]> {
  const found = new Map<string, { file: string; titles: string[] }[]>();
  for (const [file, titles] of Object.entries(namedTests)) {
    for (const title of titles) {
      for (const id of new Set(idsInTitle(title))) {
        const files = found.get(id) ?? [];
        found.set(id, files);
        const last = files.at(-1);
        if (last?.file === file) last.titles.push(title);
        else files.push({ file, titles: [title] });
      }
    }
  }
  return found;
}

/** The ids in brackets of a title: `[E4] ...`, `[C5][C7] ...`, `[I4, I5] ...`. */
export function idsInTitle(title: string): string[] {
  const brackets = title.matchAll(/\[([A-Z]\d+(?:, ?[A-Z]\d+)*)\]/g);
  return [...brackets].flatMap(([, ids]) => (ids ?? "").split(/, ?/));
}

/** What keeps the matrix from being in order; both empty when it is. */
export interface TraceFindings {
  /** Nothing checks them, and they are not listed as unserved. */
  readonly unchecked: readonly RequirementId[];
  /** Listed as unserved, but checked after all. */
  readonly stale: readonly RequirementId[];
}

export function traceFindings(rows: readonly TraceRow[]): TraceFindings {
  const ids = (wanted: (row: TraceRow) => boolean): RequirementId[] => rows.filter(wanted).map(({ id }) => id);
  return {
    unchecked: ids(({ checked, unserved }) => !checked && unserved === undefined),
    stale: ids(({ checked, unserved }) => checked && unserved !== undefined),
  };
}

export const isInOrder = ({ unchecked, stale }: TraceFindings): boolean => unchecked.length + stale.length === 0;
