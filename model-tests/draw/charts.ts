/** The charts of the lifecycle: which states each one shows, and which arrows lead between them and out of them. */
import { operationMachine, stateName } from "../../machines/index.ts";
import type { Graph } from "../explore/graph.ts";
import { type Arrow, arrowsOf } from "./arrows.ts";
import { grouped } from "./grouped.ts";
import { labelled } from "./labels.ts";
import { type DiagramState, stateDiagram } from "./mermaid.ts";
import { living, placeOf } from "./overview.ts";
import { isShared } from "./shared.ts";

/** A chart shows the states at these paths and below them, but for those that another plan names more closely. */
interface ChartPlan {
  readonly title: string;
  readonly paths: readonly string[];
  /** From left to right where many arrows leave one state. */
  readonly direction?: "LR";
}

const chartPlans: readonly ChartPlan[] = [
  { title: "From the idle lane to the first activation", paths: ["up.idle", "up.accepting", "up.ready"] },
  { title: "An attempt", paths: ["up.effect_pending"] },
  { title: "Recovery of an orphaned attempt", paths: ["up.suspended", "up.recovering"] },
  { title: "Waiting for a retry", paths: ["up.retry_wait"] },
  { title: "Tools", paths: ["up.tools"] },
  { title: "Deferred, between polls", paths: ["up.deferred"] },
  { title: "A poll", paths: ["up.deferred.polling"] },
  { title: "A poll of unknown outcome", paths: ["up.deferred.unknown"] },
  {
    title: "The end of an operation",
    paths: ["up.checkpoint", "up.contested", "up.settled", "up.cancelled", "up.finalized"],
  },
  { title: "A process that has stopped", paths: ["crashed", "closed", "faulted"], direction: "LR" },
];

export interface Chart {
  readonly title: string;
  /** Paths of the states that it shows. */
  readonly states: readonly string[];
  readonly mermaid: string;
}

/**
 * The charts of the plans: every state that was explored stands in one of them, with all its ways out. With `within`, only
 * the charts of that place.
 */
export function chartsOf(graph: Graph, within?: string): Chart[] {
  const arrows = arrowsOf(graph);
  const paths = [...new Set(graph.nodes.map(({ path }) => path))];
  return chartPlans
    .filter(({ paths: [path = ""] }) => within === undefined || placeOf(path) === within)
    .map((plan) => chartOf(plan, paths, arrows));
}

function chartOf(plan: ChartPlan, paths: readonly string[], arrows: readonly Arrow[]): Chart {
  const isInside = (path: string): boolean => plan.paths.includes(ownerOf(path));
  const states = paths.filter(isInside);
  const drawn = labelled(arrowsOfChart(plan, arrows, isInside));
  const places = new Set(paths.map(placeOf));
  const stateAt = (path: string): DiagramState => {
    if (path === living.path) return living;
    return isInside(path)
      ? { path, label: shortName(plan, path, places) }
      : { path, label: stateName(path), elsewhere: true };
  };
  const entered = new Set(arrows.filter((arrow) => !isInside(arrow.from) && !isAnywhere(arrow)).map(({ to }) => to));
  return {
    title: plan.title,
    states,
    mermaid: stateDiagram({
      direction: plan.direction,
      states: [...new Set([...states, ...drawn.flatMap(({ from, to }) => [from, to])])].map(stateAt),
      entries: states.filter((path) => entered.has(path)),
      arrows: drawn,
    }),
  };
}

const isAnywhere = (arrow: Arrow): boolean => isShared(operationMachine, arrow);

/** The ways out of the states inside, and the ways into them that every state of a living process shares. */
function arrowsOfChart(plan: ChartPlan, arrows: readonly Arrow[], isInside: (path: string) => boolean): Arrow[] {
  const loops = eventsOfOneState(arrows);
  const sharesPlace = (path: string): boolean => plan.paths.some((own) => placeOf(own) === placeOf(path));
  const nameOf = (path: string): string => {
    if (isInside(path)) return path;
    return sharesPlace(path) ? ownerOf(path) : placeOf(path);
  };
  return arrows.flatMap((arrow): Arrow[] => {
    if (isAnywhere(arrow)) return isInside(arrow.to) ? [{ ...arrow, from: living.path }] : [];
    if (!isInside(arrow.from) || (arrow.from === arrow.to && !loops.has(arrow.event))) return [];
    return [{ ...arrow, to: nameOf(arrow.to) }];
  });
}

/** The most closely matching path of the plans. */
function ownerOf(path: string): string {
  const all = chartPlans.flatMap(({ paths }) => paths).filter((one) => path === one || path.startsWith(`${one}.`));
  const [closest] = all.sort((left, right) => right.length - left.length);
  if (closest === undefined) throw new Error(`No chart shows the state ${path}`);
  return closest;
}

/** The only place of a chart stands in its title, not in each state, unless a place has the same name as the state. */
function shortName({ paths: [first = "", ...others] }: ChartPlan, path: string, places: ReadonlySet<string>): string {
  const short = path.slice(first.length + 1);
  return others.length > 0 || short === "" || places.has(`up.${short}`) ? stateName(path) : short;
}

/** Events that happen in one state alone say what it does, even where they lead nowhere else. */
function eventsOfOneState(arrows: readonly Arrow[]): ReadonlySet<string> {
  const lastName = ({ from }: Arrow): string => from.slice(from.lastIndexOf(".") + 1);
  const byEvent = grouped(arrows, ({ event }) => event);
  return new Set([...byEvent].flatMap(([event, all]) => (new Set(all.map(lastName)).size === 1 ? [event] : [])));
}
