/** The generated pages of `docs/`: the machine drawn, its states and words, the race table, the invariants, the requirements, the figures. */
import {
  boundsByName,
  commitNames,
  invariants,
  operationMachine,
  type RequirementId,
  races,
  requirements,
  sections,
  stateName,
} from "../../machines/index.ts";
import { chartsOf } from "../draw/charts.ts";
import { mermaidFence } from "../draw/charts-page.ts";
import { overviewOf } from "../draw/overview.ts";
import { explore } from "../explore/graph.ts";
import type { Evidence } from "../trace/trace.ts";
import { benchmarksPage } from "./benchmarks.ts";
import { criteriaPage } from "./criteria.ts";
import { mutantsPage } from "./mutants.ts";
import { type Page, page, table, wrapped } from "./page.ts";
import { traceability } from "./traceability.ts";

export const pages = (evidence: Evidence): readonly Page[] => [
  machinePage(),
  racesPage(),
  invariantsPage(),
  requirementsPage(),
  traceabilityPage(evidence),
  benchmarksPage(),
  criteriaPage(),
  mutantsPage(),
];

interface Described {
  readonly path: readonly string[];
  readonly description?: string | undefined;
  readonly states: Readonly<Record<string, Described>>;
}

function descriptions(node: Described): (readonly [string, string])[] {
  const own =
    node.path.length > 0 && node.description !== undefined ? [[node.path.join("."), node.description] as const] : [];
  return [...own, ...Object.values(node.states).flatMap(descriptions)];
}

function machinePage(): Page {
  const graph = explore(boundsByName.default);
  const described = descriptions(operationMachine.root as unknown as Described);
  return page(
    "generated/operation-machine.md",
    "The operation machine",
    "One operation on one lane, from acceptance to the idle lane. States are what the process that holds the session is doing; what is durable, and what waits on the session line, is the machine's context.",
    "## The places of the lifecycle",
    "A commit lands and is replied by separate events: `intent replied` is the moment when the caller learns of it. In brackets stands how the response ends that a settlement makes an entry. After `while`, `once`, `after` or `with` stands what decides where an event leads, when it leads to several places. A reopen leads to the place of the durable state; the last chart has all of its ways.",
    mermaidFence(overviewOf(graph)),
    "## Place by place",
    "One chart a place, with all ways out of its states. A dashed border is a place of another chart; the dot stands for all ways in from there. Left out is what changes no state, such as a landing or a joined call, and what may happen in every state of a living process: that stands in the last two charts.",
    ...chartsOf(graph).flatMap(({ title, states, mermaid }) => {
      const words = described.filter(
        ([path]) => states.includes(path) || states.some((one) => one.startsWith(`${path}.`)),
      );
      return [`### ${title}`, mermaidFence(mermaid), ...(words.length === 0 ? [] : [definitions(words)])];
    }),
    "## Commits",
    `A transaction is named by what its writes mean: ${commitNames.map((name) => `\`${name}\``).join(", ")}. Any other is internal to a harness and passes at once.`,
    "## Bounds",
    table(
      ["name", "frames of a stream (alone), a retry, a poll", "attempts", "polls", "outsiders on the line", "ends"],
      Object.entries(boundsByName).map(([name, bounds]) => [
        name,
        `${bounds.frames} (${bounds.frames + bounds.framesAlone}), ${bounds.framesOfRetries}, ${bounds.framesOfPolls}`,
        String(bounds.attempts),
        String(bounds.polls),
        String(bounds.outsidersOnLine),
        bounds.ends.join(", "),
      ]),
    ),
  );
}

const definitions = (words: readonly (readonly [string, string])[]): string =>
  words.map(([path, description]) => `- \`${stateName(path)}\`: ${description}`).join("\n");

function racesPage(): Page {
  return page(
    "generated/race-table.md",
    "The race table",
    "A *choice* is two actions that are both enabled in one state: both orders are driven. A *precedence* is driven in the allowed order, and the forbidden one is provoked and must not be seen. The states where a row applies are computed from the graph of the machine.",
    table(
      ["id", "race", "kind", "first goes first", "second goes first", "requirements"],
      races.map(({ id, title, kind, required, requirements: ids }) => [
        id,
        title,
        kind,
        required[0].sentence,
        required[1].sentence,
        ids.join(", "),
      ]),
    ),
  );
}

function invariantsPage(): Page {
  return page(
    "generated/invariants.md",
    "The invariants",
    "Each is a function over the whole history of a run. Each reports how often its premise held; one whose premise never held fails the verification.",
    table(
      ["id", "holds in every run", "the requirement's words"],
      invariants.map(({ id, title }) => [id, title, requirements[id]]),
    ),
  );
}

function requirementsPage(): Page {
  const ids = Object.keys(requirements) as RequirementId[];
  return page(
    "generated/requirements.md",
    "The requirements",
    "Tests, invariants, race rows and reports name these ids. [Traceability](traceability.md) says what checks each of them.",
    ...Object.entries(sections).flatMap(([letter, title]) => [
      `## ${letter}. ${title}`,
      ...ids.filter((id) => id.startsWith(letter)).flatMap((id) => [`### ${id}`, wrapped(requirements[id])]),
    ]),
  );
}

function traceabilityPage(evidence: Evidence): Page {
  return page(
    "generated/traceability.md",
    "Traceability",
    "What fails when a requirement is broken: [invariants](invariants.md) over every run, [race rows](race-table.md), fields that the driver compares at every step, and tests that name it (how many, by file). `durability trace ID` shows the same with every title. `durability trace` fails when nothing checks a requirement that is not listed at the end.",
    ...traceability(evidence),
  );
}
