/** State diagrams of a machine, drawn from its own configuration as text that Mermaid renders. */
import type { AnyStateMachine, AnyStateNode } from "xstate";

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** Every state in its place, every transition by its event; guards are left out. */
export function mermaidOf(machine: AnyStateMachine): string {
  const nodes = descendants(machine.root);
  const arrows = nodes.flatMap((node) =>
    transitionsOf(node).map(({ event, target }) => ({ from: idOf(node), to: idOf(target ?? node), label: event })),
  );
  const everywhere = [...machine.root.transitions.keys()].map((event) => `  %% in every state: ${event}`);
  return diagram([...everywhere, ...startLines(machine.root, 1), ...declare(machine.root, 1), ...draw(bundle(arrows))]);
}

/** The parent of every state of a living process: in the overview its children stand for themselves. */
const living = "up";

/**
 * The places of the lifecycle alone: what lies inside them, what stays where it is, and what every state shares with
 * all others (crash, close, a failing store) is left out or drawn once.
 */
export function mermaidOverview(machine: AnyStateMachine): string {
  const places = descendants(machine.root).filter((node) => isPlace(node));
  const known = new Set(places.map(idOf));
  const arrows = descendants(machine.root).flatMap((node) => {
    const from = placeOf(node);
    if (from === undefined) return [];
    return transitionsOf(node).flatMap(({ event, target }): Arrow[] => {
      const to = target === undefined ? undefined : placeOf(target);
      return to === undefined || to === from || !known.has(to) ? [] : [{ from, to, label: event }];
    });
  });
  const shared = machine.states[living];
  const anywhere = shared === undefined ? [] : sharedArrows(shared);
  const start = places.find((node) => node.parent?.initial.target.includes(node) && node.parent.key === living);
  const routed = throughOnePoint(arrows);
  return diagram([
    ...places.map((node) => `  state "${node.key}" as ${idOf(node)}`),
    ...(anywhere.length === 0 ? [] : [`  state "any state of a living process" as ${anyId}`]),
    ...routed.points.map((point) => `  state ${point} <<choice>>`),
    ...(start === undefined ? [] : [`  [*] --> ${idOf(start)}`]),
    ...draw(bundle(routed.arrows)),
    ...draw(bundle(anywhere)),
  ]);
}

const anyId = "any";

const isPlace = (node: AnyStateNode): boolean =>
  (node.path.length === 1 && node.key !== living) || (node.path.length === 2 && node.path[0] === living);

/** The place that a state lies in; nothing for the root and the parent of the living. */
function placeOf(node: AnyStateNode): string | undefined {
  for (let at: AnyStateNode | undefined = node; at !== undefined; at = at.parent) if (isPlace(at)) return idOf(at);
  return undefined;
}

const sharedArrows = (shared: AnyStateNode): Arrow[] =>
  transitionsOf(shared).flatMap(({ event, target }) => {
    const to = target === undefined ? undefined : placeOf(target);
    return to === undefined ? [] : [{ from: anyId, to, label: event }];
  });

/** Fans of fewer arrows read well as they are. */
const manyTargets = 4;

/** Several states that lead to the same many places by one event (a reopen) meet in one point first. */
function throughOnePoint(arrows: readonly Arrow[]): { readonly points: readonly string[]; readonly arrows: Arrow[] } {
  const fans = grouped(arrows, ({ from, label }) => `${from} ${label}`);
  const shapeOf = ({ from, label }: Arrow): string =>
    [label, ...new Set(fans.get(`${from} ${label}`)?.map(({ to }) => to))].join(" ");
  const shapes = grouped(arrows, shapeOf);
  const shared = [...shapes].filter(
    ([, same]) =>
      new Set(same.map(({ from }) => from)).size > 1 && new Set(same.map(({ to }) => to)).size > manyTargets,
  );
  const points = new Map(
    shared.map(([shape, [arrow]], at) => [shape, `${arrow?.label.replace(/\W/g, "_")}_${at + 1}`]),
  );
  return {
    points: [...points.values()],
    arrows: arrows.flatMap((arrow) => {
      const point = points.get(shapeOf(arrow));
      if (point === undefined) return [arrow];
      return [
        { ...arrow, to: point },
        { from: point, to: arrow.to, label: "" },
      ];
    }),
  };
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

// --- reading the machine -------------------------------------------------------------------------------------------------

const idOf = (node: AnyStateNode): string => node.path.join("_") || "root";

const children = (node: AnyStateNode): AnyStateNode[] => Object.values(node.states);

const descendants = (node: AnyStateNode): AnyStateNode[] =>
  children(node).flatMap((child) => [child, ...descendants(child)]);

interface Transition {
  readonly event: string;
  readonly target: AnyStateNode | undefined;
}

/** Each event with each state it may lead to; no target where it leads nowhere else. */
function transitionsOf(node: AnyStateNode): Transition[] {
  const events = [...node.transitions].flatMap(([event, branches]) => branches.map((branch) => ({ event, branch })));
  const always = (node.always ?? []).map((branch) => ({ event: "", branch }));
  return [...events, ...always].flatMap(({ event, branch }) =>
    (branch.target ?? [undefined]).map((target): Transition => ({ event, target })),
  );
}

const startOf = (node: AnyStateNode): Arrow[] =>
  children(node).length === 0
    ? []
    : node.initial.target.map((target) => ({ from: "[*]", to: idOf(target), label: "" }));

// --- writing Mermaid -----------------------------------------------------------------------------------------------------

const diagram = (lines: readonly string[]): string => `${["stateDiagram-v2", ...lines].join("\n")}\n`;

/** The states inside `node`, nested as they are. */
function declare(node: AnyStateNode, depth: number): string[] {
  const space = "  ".repeat(depth);
  return children(node).flatMap((child) => {
    const state = `${space}state "${child.key}" as ${idOf(child)}`;
    const inner = declare(child, depth + 1);
    return inner.length === 0 ? [state] : [`${state} {`, ...startLines(child, depth + 1), ...inner, `${space}}`];
  });
}

const startLines = (node: AnyStateNode, depth: number): string[] =>
  startOf(node).map(({ to }) => `${"  ".repeat(depth)}[*] --> ${to}`);

/** One arrow for all events between two states, in the order of the machine. */
function bundle(arrows: readonly Arrow[]): Arrow[] {
  const bundles = new Map<string, { readonly from: string; readonly to: string; readonly labels: Set<string> }>();
  for (const { from, to, label } of arrows) {
    const key = `${from} ${to}`;
    const one = bundles.get(key) ?? { from, to, labels: new Set() };
    one.labels.add(label);
    bundles.set(key, one);
  }
  return [...bundles.values()].map(({ from, to, labels }) => ({
    from,
    to,
    label: [...labels].filter((label) => label !== "").join(", "),
  }));
}

const draw = (arrows: readonly Arrow[]): string[] =>
  arrows.map(({ from, to, label }) => `  ${from} --> ${to}${label === "" ? "" : `: ${label}`}`);
