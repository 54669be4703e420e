/** The charts of the machine leave out no state and no way between two states. */
import { describe, expect, test } from "vitest";
import { boundsByName, operationMachine } from "../../machines/index.ts";
import { explore } from "../explore/graph.ts";
import { arrowsOf } from "./arrows.ts";
import { chartsOf } from "./charts.ts";
import { overviewOf } from "./overview.ts";
import { isShared } from "./shared.ts";

const graph = explore(boundsByName.default);
const charts = chartsOf(graph);
const overview = overviewOf(graph);
const texts = [["the overview", overview] as const, ...charts.map(({ title, mermaid }) => [title, mermaid] as const)];

interface Drawn {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

const drawnIn = (text: string): Drawn[] =>
  [...text.matchAll(/^ {2}(\S+) --> (\w+)(?:: (.+))?$/gm)].map(([, from = "", to = "", label = ""]) => ({
    from,
    to,
    label: label.replaceAll("<br>", " "),
  }));

const idOf = (path: string): string => path.replaceAll(".", "_");

/** The state itself, a place around it, or the point where the ways of a reopen meet. */
const leadsTo = ({ to }: Drawn, path: string): boolean =>
  to === "point_reopen" || to === idOf(path) || idOf(path).startsWith(`${to}_`);

describe("the charts of the operation machine", () => {
  test("show every state once, in charts of at most eight", () => {
    const shown = charts.flatMap(({ states }) => states);
    expect([...shown].sort()).toEqual([...new Set(graph.nodes.map(({ path }) => path))].sort());
    for (const { title, states } of charts) expect(states.length, title).toBeLessThanOrEqual(8);
  });

  test("show every way that leads from one state to another", () => {
    const missing = arrowsOf(graph).filter((arrow) => {
      if (arrow.from === arrow.to) return false;
      const shared = isShared(operationMachine, arrow);
      const from = shared ? "living" : idOf(arrow.from);
      const chart = charts.find(({ states }) => states.includes(shared ? arrow.to : arrow.from));
      const words = arrow.words.split(" ")[0] ?? "";
      return !drawnIn(chart?.mermaid ?? "").some(
        (one) => one.from === from && leadsTo(one, arrow.to) && one.label.includes(words),
      );
    });
    expect(missing.map(({ from, to, words }) => `${from} ${to} ${words}`)).toEqual([]);
  });

  test("say which commit is replied, how its response ends and what decides where it leads", () => {
    const labels = charts.flatMap(({ mermaid }) => drawnIn(mermaid).map(({ label }) => label)).join("\n");
    for (const words of [
      "intent replied",
      "last frame replied",
      "settle (stop) replied",
      "settle (error) replied with attempts left",
      "stream.end, stream.defect after a cancel",
      "activate while finalize waits",
    ]) {
      expect(labels).toContain(words);
    }
    expect(labels).not.toMatch(/(?:^|, )reply\b/m);
  });

  test("of one place are those of that place alone", () => {
    expect(chartsOf(graph, "up.deferred").map(({ title }) => title)).toEqual([
      "Deferred, between polls",
      "A poll",
      "A poll of unknown outcome",
    ]);
    const around = drawnIn(overviewOf(graph, "up.deferred"));
    expect(around.length).toBeGreaterThan(0);
    expect(
      around.filter(({ from, to }) => !["open", "living"].includes(from) && ![from, to].includes("up_deferred")),
    ).toEqual([]);
  });
});

describe.each(texts)("the Mermaid text of %s", (_, text) => {
  // Mermaid's own parser wants a browser: these are the only forms that the charts use, read as its grammar has them.
  const forms = [
    /^stateDiagram-v2$/,
    /^ {2}direction LR$/,
    /^ {2}state "[^":;]+" as \w+$/,
    /^ {2}state \w+ <<choice>>$/,
    /^ {2}(?:\[\*\]|\w+) --> \w+(?:: [^:;]+)?$/,
    /^ {2}classDef elsewhere stroke-dasharray: 4 4$/,
    /^ {2}class \w+(?:,\w+)* elsewhere$/,
  ];

  test("has only lines that a state diagram may have", () => {
    const lines = text.trimEnd().split("\n");
    expect(lines.filter((line) => !forms.some((form) => form.test(line)))).toEqual([]);
  });

  test("declares every state that an arrow touches, each once, and leaves none alone", () => {
    const declared = [...text.matchAll(/^ {2}state (?:"[^"]*" as )?(\w+)/gm)].map(([, id]) => id);
    const touched = drawnIn(text).flatMap(({ from, to }) => [from, to]);
    expect([...declared].sort()).toEqual([...new Set(touched)].filter((id) => id !== "[*]").sort());
  });
});
