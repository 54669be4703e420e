/** What watchers are told, beside the application's own listener (I5). */
import type { AnnouncedFact, History, HistoryStep, WatcherFact } from "../history.ts";
import type { Judgement } from "./judging.ts";

type Subscribed = Extract<WatcherFact, { kind: "subscribed" }>;

interface Watcher {
  readonly slow: boolean;
  /** How many events the application's own listener had got before the watcher was asked for. */
  readonly asked: number;
  /** The newest operation whose acceptance had landed by then. */
  readonly newestOperation: string | undefined;
  readonly got: AnnouncedFact[];
  /** How many events the own listener had got when the snapshot came; without limit while some waited behind it. */
  answered: number;
  snapshot: Subscribed | undefined;
  /** Which of the own listener's events came first to the watcher. */
  first: number | undefined;
  compared: number;
}

/**
 * I5: a watcher is told exactly what the application's own listener is told from some moment on, and that moment is the
 * one of its snapshot. While the own listener has not returned either may be ahead of the other; a watcher that does not
 * return is told a beginning of it.
 */
export function judgeWatchers(history: History): Judgement {
  let own: AnnouncedFact[] = [];
  let watchers = new Map<number, Watcher>();
  let newestOperation: string | undefined;
  let premiseHeld = 0;
  const violations: { step: number; what: string }[] = [];
  history.forEach((step, index) => {
    if (step.event.type === "reopen") [own, watchers] = [[], new Map()];
    const { length } = own;
    own.push(...step.events);
    for (const fact of step.audience.watched) {
      if (fact.kind === "asked") watchers.set(fact.watcher, newWatcher(fact.slow, length, newestOperation));
      else note(watchers.get(fact.watcher), fact, step.audience.held ? Number.POSITIVE_INFINITY : own.length);
    }
    newestOperation = step.landings.find(({ commit }) => commit === "accept")?.operationId ?? newestOperation;
    if (step.events.length === 0 && step.audience.watched.length === 0) return;
    for (const [id, watcher] of watchers) {
      if (watcher.snapshot === undefined) continue;
      if (own.length > watcher.asked || watcher.got.length > 0) premiseHeld++;
      const what = judgeWatcher(watcher, watcher.snapshot, own, step);
      if (what === undefined) continue;
      violations.push({ step: index, what });
      watchers.delete(id);
    }
  });
  return { premiseHeld, violations };
}

const newWatcher = (slow: boolean, asked: number, newestOperation: string | undefined): Watcher => ({
  slow,
  asked,
  newestOperation,
  got: [],
  answered: asked,
  snapshot: undefined,
  first: undefined,
  compared: 0,
});

function note(watcher: Watcher | undefined, fact: WatcherFact, ownEvents: number): void {
  if (watcher === undefined) return;
  if (fact.kind === "told") watcher.got.push(fact.event);
  if (fact.kind !== "subscribed") return;
  watcher.snapshot = fact;
  watcher.answered = ownEvents;
}

function judgeWatcher(
  watcher: Watcher,
  snapshot: Subscribed,
  own: readonly AnnouncedFact[],
  { audience: { held } }: HistoryStep,
): string | undefined {
  if (watcher.slow) return judgeSlow(watcher, own, held);
  if (!held) {
    const wrong = judgeCount(watcher, snapshot, own);
    if (wrong !== undefined) return wrong;
  }
  return watcher.first === undefined ? undefined : judgeOrder(watcher, watcher.first, own);
}

/** With nothing under way both have got everything: the number of events tells where the watcher's begin. */
function judgeCount(watcher: Watcher, snapshot: Subscribed, own: readonly AnnouncedFact[]): string | undefined {
  const first = own.length - watcher.got.length;
  if (watcher.first !== undefined) {
    if (first === watcher.first) return undefined;
    return `a watcher was told ${watcher.got.length} events instead of ${own.length - watcher.first}`;
  }
  if (first < watcher.asked) return "a watcher was told an event again, or one from before it was asked for";
  if (first > watcher.answered) return "a watcher was not told an event that came after its snapshot";
  watcher.first = first;
  return judgeBoundary(watcher, first, snapshot, own);
}

/** No gap between snapshot and first event: what the snapshot shows was announced before, everything else comes after. */
function judgeBoundary(
  { asked, got, newestOperation }: Watcher,
  first: number,
  { transcriptIds, operationId }: Subscribed,
  own: readonly AnnouncedFact[],
): string | undefined {
  const again = got.find(({ name, entryId = "" }) => name === "entry_added" && transcriptIds.includes(entryId));
  if (again !== undefined) return `a watcher was told of entry ${again.entryId}, which its snapshot shows`;
  const before = own.slice(asked, first);
  const lost = before.find(({ name, entryId = "" }) => name === "entry_added" && !transcriptIds.includes(entryId));
  if (lost !== undefined) return `a watcher was not told of entry ${lost.entryId}, which its snapshot does not show`;
  const ends = ({ name, operationId: ended }: AnnouncedFact): string | undefined =>
    name === "operation_end" ? ended : undefined;
  if (operationId !== undefined && before.some((event) => ends(event) === operationId))
    return "a watcher was not told of the end of the operation that its snapshot shows open";
  const shownEnded = newestOperation !== operationId ? newestOperation : undefined;
  return shownEnded !== undefined && got.some((event) => ends(event) === shownEnded)
    ? "a watcher was told of the end of an operation that its snapshot shows ended"
    : undefined;
}

function judgeOrder(watcher: Watcher, first: number, own: readonly AnnouncedFact[]): string | undefined {
  for (; watcher.compared < watcher.got.length && first + watcher.compared < own.length; watcher.compared++) {
    const got = watcher.got[watcher.compared] as AnnouncedFact;
    const expected = own[first + watcher.compared] as AnnouncedFact;
    if (!sameEvent(got, expected)) return `a watcher was told ${got.name} instead of ${expected.name}`;
  }
  return undefined;
}

/** A callback that has not returned was told some of the events without a gap, the first of them not too late. */
function judgeSlow(
  { asked, answered, got }: Watcher,
  own: readonly AnnouncedFact[],
  held: boolean,
): string | undefined {
  if (held || got.length === 0) return undefined;
  const last = Math.min(answered, own.length - got.length);
  for (let first = asked; first <= last; first++) {
    if (got.every((event, at) => sameEvent(event, own[first + at] as AnnouncedFact))) return undefined;
  }
  return `a watcher that has not returned was told ${got.map(({ name }) => name).join(", ")} out of order`;
}

const sameEvent = (a: AnnouncedFact, b: AnnouncedFact): boolean =>
  a.name === b.name &&
  a.recovery === b.recovery &&
  a.entryId === b.entryId &&
  a.operationId === b.operationId &&
  a.content === b.content;
