/**
 * What may be seen of a state, and of a step, one feature after the other: all values that a right implementation can show.
 * Two are apart when some feature of the one has no value that the other can show. This counts them out; the generator
 * reasons about them. Both must agree.
 */
import type { Effect } from "../../machines/index.ts";
import type { GraphEdge, GraphNode } from "../explore/graph.ts";
import { showsDrive, showsParked } from "../explore/shown.ts";

/** The values that a feature may have. */
type Possible = ReadonlySet<string>;
type Features = ReadonlyMap<string, Possible>;

/** Whether two right implementations can show nothing in common. */
export function areApart(one: Features, other: Features): boolean {
  for (const [feature, values] of one) {
    const others = other.get(feature) ?? nothing;
    if (values === others || values.has(any) || others.has(any)) continue;
    if (![...values].some((value) => others.has(value))) return true;
  }
  return [...other].some(([feature, values]) => !one.has(feature) && !values.has(any) && !values.has(none));
}

const any = "any";
const none = "none";
const nothing: Possible = new Set([none]);

const ofStates = new WeakMap<GraphNode, Features>();

/** What the step that leads to a state may leave behind. */
export function shownIn(node: GraphNode): Features {
  const known = ofStates.get(node);
  if (known !== undefined) return known;
  const { durable, line, landed, drive, parked } = node.expected;
  const handedOver = line.map((_, at) => line.slice(0, at + 1).join());
  const features: Features = new Map([
    ["durable", new Set([JSON.stringify(durable)])],
    ["landed", new Set([String(landed)])],
    ["at the store", new Set(line.length === 0 ? [none] : handedOver)],
    ["drive", new Set([showsDrive(node) ? String(drive) : any])],
    ["parked", new Set([showsParked(node) ? String(parked) : any])],
  ]);
  ofStates.set(node, features);
  return features;
}

const ofSteps = new WeakMap<GraphEdge, Features>();

/** What a step may make visible on its way. */
export function shownBy(edge: GraphEdge): Features {
  const known = ofSteps.get(edge);
  if (known !== undefined) return known;
  const { effects } = edge;
  const features = new Map<string, Possible>();
  for (const kind of ["request", "poll", "remote_cancel", "hook", "tools", "signal"] as const) {
    const wanted = effects.filter((effect) => effect.kind === kind);
    if (wanted.length > 0)
      features.set(kind, new Set([...(wanted.every(isOptional) ? [none] : []), `${wanted.length}`]));
  }
  for (const effect of effects) if (effect.kind === "call") features.set(effect.call, outcomes(effects, effect.call));
  // A second activation may be refused at once, whatever the first one comes to.
  features.set("activate", new Set([any]));
  features.set("events", new Set(series(effects).map((names) => names || none)));
  ofSteps.set(edge, features);
  return features;
}

const isOptional = (effect: Effect): boolean => "optional" in effect && effect.optional === true;

/** What a promise must come to, or else what it may come to: one may be told besides the other, never instead of it. */
function outcomes(effects: readonly Effect[], call: string): Possible {
  const own = effects.filter((effect) => effect.kind === "call").filter((effect) => effect.call === call);
  const due = own.filter((effect) => !isOptional(effect));
  const values = (due.length === 0 ? own : due).flatMap((effect) => [effect.outcome, ...(effect.or ?? [])]);
  return new Set(due.length === 0 ? [...values, none] : values);
}

/** Every series of events that may be announced. Messages of a recovery come where a harness likes: they count for nothing. */
function series(effects: readonly Effect[]): string[] {
  let all = [""];
  for (const effect of effects) {
    if (effect.kind !== "event") continue;
    const { name, recovery } = effect;
    if (recovery !== undefined && (name === "message_start" || name === "message_end")) continue;
    const tags = name === "usage" ? [""] : recovery === "may" ? ["", "+"] : [recovery ? "+" : ""];
    const longer = all.flatMap((names) => tags.map((tag) => `${names} ${name}${tag}`));
    all = isOptional(effect) ? [...all, ...longer] : longer;
  }
  return all;
}
