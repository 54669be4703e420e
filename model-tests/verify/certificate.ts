/** The certificate of a complete suite: what it is worth, in words, and the file that a separate program checks. */
import { type Certificate, packed } from "../certify/certificate.ts";
import type { Graph, GraphEdge } from "../explore/graph.ts";
import { isMainCase } from "../generate/schedule.ts";
import { digestOf } from "./counterexample.ts";
import type { Driven } from "./driven.ts";
import type { VerifyOptions } from "./options.ts";
import type { CertificateReport } from "./report.ts";

/** @throws {Error} when no suite was driven. */
export function certificateOf({ bounds, sut, store }: VerifyOptions, driven: Driven): Certificate {
  const { graph, tally, suite: complete } = driven;
  if (complete === undefined) throw new Error("No complete suite was driven");
  const held = new Map(tally.unfinished.map((test) => [test.path.join(), test.held]));
  const runs = complete.tests.map(({ edges }) => {
    const path = edges.map(({ index }) => index);
    return path.slice(0, held.get(path.join()) ?? path.length);
  });
  return {
    kind: "assistant-durability certificate",
    version: 1,
    machine: { name: "operation", digest: digestOf(graph) },
    bounds,
    sut,
    store,
    k: complete.suite.k,
    access: complete.suite.access.map((edge) => edge?.index ?? null),
    leftOut: leftOutOf(driven).map(({ index }) => index),
    runs: [...packed(runs)],
  };
}

/** What the implementation does not offer, and where it leaves the specification. */
const leftOutOf = ({ graph, tally }: Driven): GraphEdge[] =>
  graph.edges.filter((edge) => isMainCase(edge) && (tally.notOffered[edge.index] || tally.diverged[edge.index]));

/** @param isGiven whether the whole suite was driven, and shows nothing that is not listed. */
export function describeCertificate(
  { store, bounds }: VerifyOptions,
  driven: Driven,
  isGiven: boolean,
): CertificateReport | undefined {
  const { suite: complete, graph, determinism, tally } = driven;
  if (complete === undefined || !isGiven) return undefined;
  const { k, inseparable, access } = complete.suite;
  const reached = access.filter((edge) => edge !== undefined).length + 1;
  return {
    k,
    tests: complete.tests.length,
    steps: complete.tests.reduce((sum, { edges }) => sum + edges.length, 0),
    faultDomain: `No implementation with a fault passes this suite if each of its hidden states is reached by the access path of one of the ${reached} states of the machine and at most ${k} inputs more.`,
    assumptions: [
      `It behaves the same way every time: ${determinism.schedules} schedules were driven twice, with ${determinism.differences} differences.`,
      `Nothing is left of an earlier run: each has a process and an empty ${store} store of its own.`,
      `What is streamed matters no further than the ${tally.contents.size} contents show, of which each test has one by turns.`,
      `Inputs beyond the ${bounds} bounds are not spoken of.`,
    ],
    leftOut: {
      inputs: counted(leftOutOf(driven).map(({ action }) => action)),
      optional: graph.edges.filter(({ effects }) => effects.some((effect) => "optional" in effect)).length,
      choices: choicesOf(graph),
      inseparable: inseparable.length,
    },
  };
}

/** How many transitions have several allowed cases. */
const choicesOf = ({ edges }: Graph): number => edges.filter((edge) => !isMainCase(edge)).length;

function counted(words: readonly string[]): { action: string; states: number }[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([action, states]) => ({ action, states })).sort((a, b) => b.states - a.states);
}
