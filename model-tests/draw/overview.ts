/** The places of the lifecycle in one chart: what lies inside them, and what stays where it is, is left out. */
import { stateName } from "../../machines/index.ts";
import type { Graph } from "../explore/graph.ts";
import { type Arrow, amidCancel, amidFinalization, arrowsOf } from "./arrows.ts";
import { grouped } from "./grouped.ts";
import { alwaysHeld, labelled } from "./labels.ts";
import { type DiagramArrow, type DiagramState, stateDiagram } from "./mermaid.ts";

/** What may happen in every state of a living process leads from here. */
export const living: DiagramState = { path: "living", label: "any state of a living process", elsewhere: true };
const open: DiagramState = { path: "open", label: "any open operation", elsewhere: true };
const stopped: DiagramState = { path: "stopped", label: "crashed, closed or faulted" };

/**
 * Drawn once is what stops a process, and what happens only amid a cancel or a finalization. A reopen may lead to every
 * place: it is drawn where nothing else leads. With `around`, only what leads into that place and out of it.
 */
export function overviewOf(graph: Graph, around?: string): string {
  const all = arrowsOf(graph).map((arrow): Arrow => ({ ...arrow, from: nameOf(arrow.from), to: nameOf(arrow.to) }));
  const touches = ({ from, to }: Arrow): boolean => around === undefined || from === around || to === around;
  const arrows = all.filter((arrow) => arrow.from !== arrow.to && touches(arrow));
  const [stops, others] = split(arrows, ({ to }) => to === stopped.path);
  const [reopens, own] = split(others, ({ from }) => from === stopped.path);
  const [amid, ways] = split(own, isAmid);
  const known = new Set(ways.map(pairOf));
  const places = [...new Set(graph.nodes.map(({ path }) => nameOf(path)))];
  const entered = new Set([places[0], ...own.map(({ to }) => to)]);
  const drawn = [
    ...labelled([...ways, ...reopens.filter(({ to }) => !entered.has(to))]),
    ...labelled(stops.map((arrow) => ({ ...arrow, from: living.path }))),
    ...amidOnce(amid.filter((arrow) => !known.has(pairOf(arrow)))),
  ];
  const touched = new Set(drawn.flatMap(({ from, to }) => [from, to]));
  return stateDiagram({
    states: [
      ...places.map((path) => (path === stopped.path ? stopped : { path, label: stateName(path) })),
      living,
      open,
    ].filter(({ path }) => touched.has(path)),
    entries: places.slice(0, 1).filter((path) => touched.has(path)),
    arrows: drawn,
  });
}

/** The place of the lifecycle that a state lies in. */
export const placeOf = (path: string): string => path.split(".").slice(0, 2).join(".");

/** A process that has stopped is in one place, however it stopped. */
const nameOf = (path: string): string => (path.startsWith("up.") ? placeOf(path) : stopped.path);

const pairOf = ({ from, to }: Arrow): string => `${from} ${to}`;

const isAmid = ({ conditions }: Arrow): boolean => conditions.has(amidCancel) || conditions.has(amidFinalization);

/** Each place that a cancel or a finalization leads to, whatever it came amid. */
const amidOnce = (arrows: readonly Arrow[]): DiagramArrow[] =>
  [...grouped(arrows, ({ to }) => to)].map(([to, same]) => {
    const [words = "", ...others] = new Set(same.map((arrow) => arrow.words));
    const reasons = alwaysHeld(same);
    const reason = [amidFinalization, amidCancel].find((one) => reasons.has(one)) ?? "";
    return { from: open.path, to, label: others.length === 0 ? words : reason };
  });

function split<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
