/** State diagrams as text that Mermaid renders. */
import { grouped } from "./grouped.ts";
import { wrap } from "./layout.ts";

export interface DiagramState {
  /** A path; dots are no part of a Mermaid name, so that they are replaced. */
  readonly path: string;
  readonly label: string;
  /** Drawn with a dashed border: its own ways are shown in another diagram. */
  readonly elsewhere?: boolean;
}

export interface DiagramArrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

export interface Diagram {
  /** From top to bottom unless it says otherwise. */
  readonly direction?: "LR" | undefined;
  readonly states: readonly DiagramState[];
  /** Paths of the states that are entered from outside the diagram. One alone gets a mark; of several it would tell nothing. */
  readonly entries: readonly string[];
  readonly arrows: readonly DiagramArrow[];
}

/** A point where several states meet that lead to the same many states by the same event. */
const isPoint = (path: string): boolean => path.startsWith(pointPrefix);
const pointPrefix = "point.";

export function stateDiagram({ direction, states, entries, arrows }: Diagram): string {
  const routed = bundle(throughPoints(arrows));
  const points = [...new Set(routed.map(({ to }) => to).filter(isPoint))];
  const elsewhere = states.filter((state) => state.elsewhere).map(({ path }) => idOf(path));
  return `${[
    "stateDiagram-v2",
    ...(direction === undefined ? [] : [`  direction ${direction}`]),
    ...states.map(({ path, label }) => `  state "${label}" as ${idOf(path)}`),
    ...points.map((point) => `  state ${idOf(point)} <<choice>>`),
    ...(entries.length === 1 ? entries : []).map((path) => `  [*] --> ${idOf(path)}`),
    ...routed.map(({ from, to, labels }) => `  ${idOf(from)} --> ${idOf(to)}${textOf(labels)}`),
    ...(elsewhere.length === 0
      ? []
      : ["  classDef elsewhere stroke-dasharray: 4 4", `  class ${elsewhere.join(",")} elsewhere`]),
  ].join("\n")}\n`;
}

const idOf = (path: string): string => path.replaceAll(".", "_");

/** Characters of a line of a label: wider labels push the states apart. */
const labelWidth = 20;

const textOf = (labels: readonly string[]): string => {
  const lines = labels.flatMap((label, at) => wrap(at < labels.length - 1 ? `${label},` : label, labelWidth));
  return lines.length === 0 ? "" : `: ${lines.join("<br>")}`;
};

interface Bundle {
  readonly from: string;
  readonly to: string;
  readonly labels: readonly string[];
}

/** One arrow for all that leads from one state to another; each label begins a line. */
function bundle(arrows: readonly DiagramArrow[]): Bundle[] {
  return [...grouped(arrows, ({ from, to }) => `${from} ${to}`).values()].map((same) => {
    const [{ from, to }] = same as [DiagramArrow];
    return { from, to, labels: [...new Set(same.map(({ label }) => label))].filter((label) => label !== "") };
  });
}

/** Fans of fewer arrows read well as they are. */
const manyTargets = 4;

/** Several states that lead to many states by one event (a reopen) meet in one point first. */
function throughPoints(arrows: readonly DiagramArrow[]): DiagramArrow[] {
  const fans = [...grouped(arrows, ({ label }) => label)].filter(
    ([label, fan]) => label !== "" && distinct(fan, "to") > manyTargets && distinct(fan, "from") > 1,
  );
  const points = new Map(fans.map(([label]) => [label, `${pointPrefix}${label.replace(/\W/g, "_")}`]));
  return arrows.flatMap((arrow): DiagramArrow[] => {
    const point = points.get(arrow.label);
    if (point === undefined) return [arrow];
    return [
      { ...arrow, to: point },
      { from: point, to: arrow.to, label: "" },
    ];
  });
}

const distinct = (arrows: readonly DiagramArrow[], end: "from" | "to"): number =>
  new Set(arrows.map((arrow) => arrow[end])).size;
