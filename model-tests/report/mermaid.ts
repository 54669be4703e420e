/** State diagrams of a machine, drawn from its own configuration as text that Mermaid renders. */
import type { AnyStateMachine, AnyStateNode } from "xstate";
import { stateName } from "../../machines/index.ts";

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** Every state in its place, every transition by its event; guards are left out. */
export function mermaidOf(machine: AnyStateMachine): string {
  const nodes = descendants(machine.root);
  const arrows = nodes.flatMap((node) => [
    ...startOf(node),
    ...transitionsOf(node).map(({ event, target }) => ({ from: idOf(node), to: idOf(target ?? node), label: event })),
  ]);
  return diagram([...declare(machine.root, 1), ...draw(bundle(arrows))]);
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
  return diagram([
    ...places.map((node) => `  state "${node.key}" as ${idOf(node)}`),
    ...(anywhere.length === 0 ? [] : [`  state "any state of a living process" as ${anyId}`]),
    ...(start === undefined ? [] : [`  [*] --> ${idOf(start)}`]),
    ...draw(bundle(throughOnePoint(arrows))),
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

/** Several states that lead to the same many places by one event (a reopen) meet in one point first. */
function throughOnePoint(arrows: readonly Arrow[]): Arrow[] {
  const fans = new Map<string, Set<string>>();
  for (const { from, to, label } of arrows) {
    const key = `${from} ${label}`;
    fans.set(key, (fans.get(key) ?? new Set()).add(to));
  }
  const shapeOf = ({ from, label }: Arrow): string => [label, ...(fans.get(`${from} ${label}`) ?? [])].join(" ");
  const sources = new Map<string, Set<string>>();
  for (const arrow of arrows)
    sources.set(shapeOf(arrow), (sources.get(shapeOf(arrow)) ?? new Set()).add(arrow.from));
  return arrows.flatMap((arrow) => {
    const isFan =
      (sources.get(shapeOf(arrow))?.size ?? 0) > 1 && (fans.get(`${arrow.from} ${arrow.label}`)?.size ?? 0) > 2;
    if (!isFan) return [arrow];
    const point = `${arrow.label.replace(/\W/g, "_")}_point`;
    return [
      { from: arrow.from, to: point, label: arrow.label },
      { from: point, to: arrow.to, label: "" },
    ];
  });
}

// --- reading the machine -------------------------------------------------------------------------------------------------

const idOf = (node: AnyStateNode): string => node.path.join("_") || "root";

const children = (node: AnyStateNode): AnyStateNode[] => Object.values(node.states);

const descendants = (node: AnyStateNode): AnyStateNode[] =>
  children(node).flatMap((child) => [child, ...descendants(child)]);

/** Each event with each state it may lead to; no target where it leads nowhere else. */
function transitionsOf(node: AnyStateNode): { readonly event: string; readonly target: AnyStateNode | undefined }[] {
  const events = [...node.transitions].flatMap(([event, branches]) => branches.map((branch) => ({ event, branch })));
  const always = (node.always ?? []).map((branch) => ({ event: "", branch }));
  return [...events, ...always].flatMap(({ event, branch }) =>
    branch.target === undefined ? [{ event, target: undefined }] : branch.target.map((target) => ({ event, target })),
  );
}

const startOf = (node: AnyStateNode): Arrow[] =>
  children(node).length === 0 ? [] : node.initial.target.map((target) => ({ from: "[*]", to: idOf(target), label: "" }));

// --- writing Mermaid -----------------------------------------------------------------------------------------------------

const diagram = (lines: readonly string[]): string => `${["stateDiagram-v2", ...lines].join("\n")}\n`;

/** The states inside `node`, nested as they are. */
function declare(node: AnyStateNode, depth: number): string[] {
  const space = "  ".repeat(depth);
  return children(node).flatMap((child) => {
    const state = `${space}state "${stateName(child.key)}" as ${idOf(child)}`;
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
