/** What the rows of the race table require, as functions over the history of a run. */
import type { History, HistoryStep } from "../history.ts";
import type { CommitName } from "../vocabulary.ts";

/** The steps of a run from the first of the two actions on. */
export interface RaceRun {
  readonly steps: History;
  /** The durable state just before. */
  readonly before: HistoryStep | undefined;
}

/** What must hold after one order of a race. */
export interface RequiredResult {
  readonly sentence: string;
  /** What is wrong, or `undefined` when the required result was reached. */
  violated(run: RaceRun): string | undefined;
}

/** A required result, with its sentence. */
export const required = (sentence: string, violated: RequiredResult["violated"]): RequiredResult => ({
  sentence,
  violated,
});
const landed = ({ steps }: RaceRun): string[] => steps.flatMap((step) => step.landings.map(({ commit }) => commit));
const responses = ({ steps }: RaceRun) =>
  steps.flatMap((step) => step.landings.flatMap((landing) => landing.responses));
const indexOf = ({ steps }: RaceRun, commit: CommitName): number =>
  steps.findIndex((step) => step.landings.some((landing) => landing.commit === commit));
const after = (run: RaceRun, commit: CommitName): History => {
  const at = indexOf(run, commit);
  return at === -1 ? [] : run.steps.slice(at + 1);
};

const asksProvider = ({ requests, polls }: HistoryStep): boolean => requests.length > 0 || polls.length > 0;

/** What the process does that raced. */
export const untilReopen = ({ steps }: RaceRun): History => {
  const reopened = steps.findIndex((step) => step.event.type === "reopen");
  return reopened === -1 ? steps : steps.slice(0, reopened);
};

/** Until a new operation is accepted, everything belongs to the operation that raced. */
const ofOneOperation = ({ steps, before }: RaceRun): RaceRun => {
  const end = steps.findIndex((step) => step.event.type === "accept" && step.atStore.includes("accept"));
  return { steps: end === -1 ? steps : steps.slice(0, end), before };
};
/** Judge only what belongs to the operation that raced. */
export const ofOne =
  (violated: RequiredResult["violated"]): RequiredResult["violated"] =>
  (run) =>
    violated(ofOneOperation(run));

/** No frame lands after, or waits beside, its settlement (C5). */
export const framesBeforeSettle = ofOne((run) => {
  const settle = indexOf(run, "settle");
  if (settle === -1) return undefined;
  const pending = run.steps[settle]?.atStore.includes("frame");
  const afterwards = run.steps.slice(settle + 1).some((step) => {
    const intent = step.landings.some(({ commit }) => commit === "intent");
    return !intent && step.landings.some(({ commit }) => commit === "frame") && indexOf(run, "intent") === -1;
  });
  return pending || afterwards ? "a frame landed after its settlement" : undefined;
});
/** The transaction that inserts an entry deletes its frame list (D1). */
export const listGoneWithEntry = ofOne((run) => {
  for (const landing of run.steps.flatMap((step) => step.landings)) {
    for (const { id } of landing.responses) {
      if (landing.listsLeft.some((list) => list.endsWith(`:${id}`)))
        return "the entry was inserted and its list was kept";
    }
  }
  return undefined;
});
/** Nothing but internal commits lands after a finalization, and no list comes back (K3). */
export const nothingAfterFinalization = ofOne((run) => {
  const writes = after(run, "finalize").flatMap((step) => step.landings);
  const late = writes.find(({ commit }) => commit !== "internal");
  if (late !== undefined) return `${late.commit} landed after the finalization`;
  return writes.some(({ listsLeft }) => listsLeft.length > 0) ? "a frame list was re-created" : undefined;
});
/** No request follows the reply of a finalization (K3). */
export const noRequestAfterFinalization = ofOne((run) =>
  // The request may start before the finalization is replied; from then on none may.
  after(run, "finalize").slice(1).some(asksProvider) ? "a request was made after the finalization" : undefined,
);
/** At most one terminal transaction lands (K3). */
export const oneTerminal = ofOne((run) => {
  const ends = run.steps.flatMap((step) => step.landings).filter(({ ends: operation }) => operation !== undefined);
  return ends.length > 1 ? `${ends.length} terminal transactions landed` : nothingAfterFinalization(run);
});
/** After a cancel has landed, what settles is aborted and no request is made (F1). */
export const cancelWins = ofOne((run) => {
  if (indexOf(run, "cancel") === -1) return undefined;
  const settled = after(run, "cancel")
    .flatMap((step) => step.landings)
    .flatMap((landing) => landing.responses);
  const other = settled.find(({ stop }) => stop !== "aborted");
  if (other !== undefined) return `a response settled as ${other.stop} after the cancel had landed`;
  return after(run, "cancel").some(asksProvider) ? "a request was made after the cancel" : undefined;
});
/** No response settles twice. */
export const responseStands = ofOne((run) => {
  const ids = responses(run).map(({ id }) => id);
  return new Set(ids).size === ids.length ? undefined : "a response was settled twice";
});
/** No hook starts after a cancel (F2). */
export const noHookAfterCancel = ofOne((run) => {
  // The cancel is the first step; an operation whose cancel failed has faulted and runs no hook either.
  const here = untilReopen(run);
  return here.some((step) => step.hooks > 0) ? "after_response started after the cancel" : undefined;
});
/** No request is made after a cancel (F1). */
export const noRequestAfterCancel = ofOne((run) =>
  untilReopen(run).some(asksProvider) ? "a request was made after the cancel" : undefined,
);
/** No settlement lands after a close, until a reopen (K1). */
export const noSettlementAfterClose = ofOne((run) =>
  untilReopen(run).some((step) => step.landings.some(({ commit }) => commit === "settle"))
    ? "a settlement landed after close"
    : undefined,
);
type Durable = HistoryStep["durable"] | undefined;
const samePlan = (before: Durable, restored: Durable): boolean =>
  JSON.stringify(before?.plan) === JSON.stringify(restored?.plan);

/** A reopen finds what had landed when the process went (D4). */
export const prefixRestores = ofOne((run) => {
  // Until something lands again the restored list is what had landed when the process went.
  const gone = run.steps.findIndex((step) => step.event.type === "crash" || step.event.type === "close");
  if (gone === -1) return undefined;
  const reopened = run.steps.findIndex((step, at) => at > gone && step.event.type === "reopen");
  if (reopened === -1) return undefined;
  const before = run.steps[reopened - 1]?.durable;
  const restored = run.steps[reopened]?.durable;
  return before?.listed === restored?.listed && before?.at === restored?.at && samePlan(before, restored)
    ? undefined
    : "the reopen changed the durable prefix";
});
/** No response settles twice and no operation ends twice. */
export const nothingTwice = ofOne((run) => responseStands(run) ?? oneTerminal(run));
/** After a failed append neither hook nor settlement follows (C6). */
export const faultBeforeHook = ofOne((run) => {
  const here = untilReopen(run);
  const failed = here.findIndex((step) => step.event.type === "fail");
  if (failed === -1) return undefined;
  const later = here.slice(failed);
  if (later.some((step) => step.hooks > 0)) return "after_response started after the failed append";
  return later.some((step) => step.landings.some(({ commit }) => commit === "settle"))
    ? "a response settled after the failed append"
    : undefined;
});
/** Two activations make one drive (O3). */
export const oneDrive = ofOne((run) => {
  const requested = run.steps.flatMap((step) => [...step.requests, ...step.polls].map(({ response }) => response));
  if (new Set(requested).size !== requested.length) return "two requests were made for one response";
  const intents = run.steps.slice(0, 2).flatMap((step) => step.atStore.filter((commit) => commit === "intent"));
  return intents.length > 2 ? "two drives are at work" : responseStands(run);
});
/** An interrupted response settles at most once, with its list (E5). */
export const recoveryOnceWhole = ofOne((run) => {
  const recovered = landed(run).filter((commit) => commit === "recover").length;
  const pending = run.before?.pendingResponse;
  const times = responses(run).filter(({ id }) => id === pending).length;
  return times > 1
    ? `the interrupted response was settled ${times} times in ${recovered} recoveries`
    : listGoneWithEntry(run);
});
/** The synthetic response settles before a later attempt begins (E5). */
export const syntheticFirst = ofOne((run) => {
  const request = run.steps.findIndex((step) => step.requests.length > 0);
  const intent = indexOf(run, "intent");
  const recover = indexOf(run, "recover");
  const replied = run.steps.findIndex((step) =>
    step.events.some(({ name, recovery }) => name === "entry_added" && recovery),
  );
  // The synthetic response may have landed before: then a later recovery is of a later attempt.
  if (run.before?.durable.at !== "effect_pending") return undefined;
  if (intent !== -1 && recover !== -1 && intent < recover)
    return "a later attempt was reserved before the synthetic response";
  return request !== -1 && replied !== -1 && request < replied
    ? "a request was made before the synthetic response was replied"
    : undefined;
});
/** The second action of a precedence is not seen while the first is unreplied. */
export const notBeforeItsReply = (what: "settle" | "request") =>
  required(
    what === "settle"
      ? "neither hook nor settlement is seen while the last append is unreplied"
      : "no later attempt is seen while the synthetic response is unreplied",
    ({ steps }) => {
      // Every step of a provocation keeps the first commit parked.
      const early = steps.some(
        (step) =>
          step.hooks > 0 ||
          step.requests.length > 0 ||
          step.atStore.includes("settle") ||
          step.atStore.includes("intent"),
      );
      return early ? `the second was seen while the first was unreplied` : undefined;
    },
  );
/** The intent that takes the place of an unknown poll drops its list in the same transaction. */
export const replacedWhole = ofOne((run) => {
  const { before } = run;
  const abandoned = before?.durable.at === "deferred.effect_pending" ? before.pendingResponse : undefined;
  const landing = run.steps.flatMap((step) => step.landings).find(({ commit }) => commit === "intent");
  if (abandoned === undefined || landing === undefined) return listGoneWithEntry(run);
  if (landing.responseEntryId === abandoned) return "the replacement kept the response id";
  return landing.listsLeft.some((list) => list.endsWith(`:${abandoned}`))
    ? "the list of the replaced poll was kept"
    : listGoneWithEntry(run);
});
/** No poll is made before its intent is replied (C7). */
export const noPollBeforeItsReply = required(
  "no poll is made while the intent that replaces the unknown one is unreplied",
  ({ steps }) =>
    steps.some((step) => step.polls.length > 0) ? "a poll was made while its intent was unreplied" : undefined,
);
/** `prefixRestores`, and `listGoneWithEntry`. */
export const prefixAndNoList = ofOne((run) => prefixRestores(run) ?? listGoneWithEntry(run));

/** The same required result for both orders. */
export const both = (
  sentence: string,
  violated: RequiredResult["violated"],
): readonly [RequiredResult, RequiredResult] => [required(sentence, violated), required(sentence, violated)];
