/** The race table judges runs made by hand, so that whoever adds a row sees both verdicts for each order. */
import { describe, expect, test } from "vitest";
import type { History, HistoryStep, LandingFact } from "../history.ts";
import { requirements } from "../requirements.ts";
import {
  accepts,
  appends,
  durableAt,
  landing,
  lands,
  requests,
  settlement,
  startFrame,
  step,
  terminal,
} from "../testing/hand-made.ts";
import { finishes, starts } from "../testing/invariant-cases/tools.ts";
import type { RaceRun } from "./results.ts";
import { type Race, races } from "./rows.ts";

/** A run, and what stood just before its race began. */
type Run = History | { readonly before: HistoryStep; readonly steps: History };
interface Order {
  readonly holds: Run;
  readonly violates: Readonly<Record<string, Run>>;
}

// --- runs that several rows share ------------------------------------------------------------------------------------

const frame = appends(startFrame);
const settled = settlement("settle", "stop");
const aborted = settlement("settle", "aborted");
const cancel = landing("cancel");
const intent = landing("intent");
const hook = step("reply", { hooks: 1 });
const orphaned = step("reopen", { durable: durableAt("effect_pending", 1), pendingResponse: "r1" });
const unknownPoll = step("reopen", { durable: durableAt("deferred.effect_pending", 1), pendingResponse: "r1" });
const replacement = (more: Partial<LandingFact> = {}): HistoryStep =>
  lands(landing("intent", { responseEntryId: "r2", deleted: ["op:r1"], ...more }));
const keptList = [lands(settlement("settle", "stop", { listsLeft: ["op:r1"] }))];
const reopenWith = (listed: number, at: HistoryStep["durable"]["at"] = "effect_pending"): History => [
  step("land", { landings: [frame], durable: durableAt("effect_pending", 1) }),
  step("crash", { durable: durableAt("effect_pending", 1) }),
  step("reopen", { durable: durableAt(at, listed) }),
];

const framesFirst: Order = {
  holds: [lands(frame), lands(settled)],
  violates: {
    "a frame after its settlement": [lands(settled), lands(frame)],
    "a frame at the store beside the settlement": [step("land", { landings: [settled], atStore: ["frame"] })],
  },
};
const prefixRestores: Order = {
  holds: reopenWith(1),
  violates: { "a frame is gone": reopenWith(0), "another restart point": reopenWith(1, "checkpoint") },
};
const finalizationStands: Order = {
  holds: [lands(frame), lands(terminal("finalize")), step("late")],
  violates: {
    "a frame after it": [lands(terminal("finalize")), lands(frame)],
    "a settlement after it": [lands(terminal("finalize")), lands(settled)],
    "an internal write that fills a list again": [
      lands(terminal("finalize")),
      lands(landing("internal", { listsLeft: ["op:r1"] })),
    ],
  },
};
const oneTerminal: Order = {
  holds: [lands(settled), lands(terminal())],
  violates: {
    "two terminal transactions": [lands(terminal("finalize")), lands(terminal())],
    "a settlement after the finalization": [lands(terminal("finalize")), lands(settled)],
  },
};
const responseStands: Order = {
  holds: [lands(settled), lands(cancel), lands(terminal())],
  violates: { "settled twice": [lands(settled), step("crash"), lands(settlement("recover", "error"))] },
};
const cancelWins: Order = {
  holds: [lands(cancel), lands(aborted), lands(terminal())],
  violates: {
    "the response settles as it came": [lands(cancel), lands(settled)],
    "a request after it": [lands(cancel), requests()],
  },
};
const recoveryOnceWhole: Order = {
  holds: { before: orphaned, steps: [lands(settlement("recover", "error")), step("crash"), step("reopen")] },
  violates: {
    twice: {
      before: orphaned,
      steps: [lands(settlement("recover", "error")), step("reopen"), lands(settlement("recover", "error"))],
    },
    "the list stays": {
      before: orphaned,
      steps: [lands(settlement("recover", "error", { listsLeft: ["op:r1"] }))],
    },
  },
};
const nothingTwice: Order = {
  holds: responseStands.holds,
  violates: { ...responseStands.violates, ...oneTerminal.violates },
};
const unseen = (what: Readonly<Record<string, Partial<HistoryStep>>>): Order => ({
  holds: [step("land", { landings: [cancel], atStore: ["frame"] }), step("snapshot")],
  violates: Object.fromEntries(Object.entries(what).map(([name, seen]) => [name, [step("land", seen)]])),
});
const returns: HistoryStep = { ...step("late"), event: { type: "tool.return", tool: "send" } };
const ended = lands(terminal());
const planAt = (plan: HistoryStep["durable"]["plan"]): HistoryStep["durable"] => ({ ...durableAt("tools"), plan });
const nothingSent = planAt({ send: "marked", look: "planned" });
const sent = planAt({ send: "done", look: "planned" });
const bothRun = step("reply", { durable: planAt({ send: "marked", look: "marked" }) });
const both = (order: Order): readonly [Order, Order] => [order, order];

// --- the rows ----------------------------------------------------------------------------------------------------------

const cases: Readonly<Record<string, readonly [Order, Order]>> = {
  R1: both({ ...prefixRestores, violates: { ...prefixRestores.violates, "the list stays": keptList } }),
  R2: both(framesFirst),
  R3: both(prefixRestores),
  R4: both(finalizationStands),
  R5: both(prefixRestores),
  R6: [
    { ...framesFirst, violates: { ...framesFirst.violates, "the list stays": keptList } },
    unseen({ "the hook starts": { hooks: 1 }, "the settlement is handed over": { atStore: ["frame", "settle"] } }),
  ],
  R7: both(recoveryOnceWhole),
  R9: [
    {
      holds: { before: unknownPoll, steps: [replacement(), lands(appends(startFrame, "op:r2"))] },
      violates: {
        "the abandoned list is kept": { before: unknownPoll, steps: [replacement({ listsLeft: ["op:r1"] })] },
        "the response id is kept": { before: unknownPoll, steps: [replacement({ responseEntryId: "r1" })] },
        "the list of the new poll outlives its entry": { before: unknownPoll, steps: [replacement(), ...keptList] },
      },
    },
    unseen({ "a poll is made": { polls: [{ response: "r2", handle: "h" }] } }),
  ],
  R8: [
    {
      holds: {
        before: orphaned,
        steps: [
          lands(settlement("recover", "error")),
          step("reply", { events: [{ name: "entry_added", recovery: true }] }),
          lands(intent),
          requests(),
        ],
      },
      violates: {
        "the attempt is reserved first": {
          before: orphaned,
          steps: [lands(intent), lands(settlement("recover", "error"))],
        },
        "the request comes before the announcement": {
          before: orphaned,
          steps: [requests(), step("reply", { events: [{ name: "entry_added", recovery: true }] })],
        },
      },
    },
    unseen({
      "a request is made": { requests: [{ response: "r2", contextStops: [], results: [] }] },
      "the attempt is handed over": { atStore: ["recover", "intent"] },
    }),
  ],
  X1: [cancelWins, responseStands],
  X2: [
    {
      holds: [step("cancel"), lands(cancel), step("crash"), step("reopen"), hook],
      violates: { "the hook starts": [step("cancel"), hook] },
    },
    responseStands,
  ],
  X3: [
    {
      holds: [step("close"), step("reopen"), lands(settlement("recover", "error"))],
      violates: { "the settlement lands": [step("close"), lands(settled), step("reopen")] },
    },
    responseStands,
  ],
  X4: both({
    holds: [
      step("close", { durable: durableAt("effect_pending", 1) }),
      step("land", { landings: [frame], durable: durableAt("effect_pending", 2) }),
      step("reopen", { durable: durableAt("effect_pending", 2) }),
    ],
    violates: prefixRestores.violates,
  }),
  X5: both({
    holds: [step("fail"), step("reopen"), hook, lands(settled)],
    violates: {
      "the hook starts": [step("fail"), hook],
      "the response settles": [step("stream.start"), step("fail"), lands(settled)],
    },
  }),
  X6: both(oneTerminal),
  X7: both({
    holds: [step("activate", { atStore: ["intent"] }), step("activate", { atStore: ["intent"] }), lands(settled)],
    violates: {
      "two attempts at the store": [
        step("activate", { atStore: ["intent"] }),
        step("activate", { atStore: ["intent", "intent"] }),
      ],
      "two requests": [
        step("activate"),
        step("activate", {
          requests: [
            { response: "r1", contextStops: [], results: [] },
            { response: "r1", contextStops: [], results: [] },
          ],
        }),
      ],
      "two settlements": [step("activate"), step("activate"), lands(settled), lands(settled)],
    },
  }),
  X8: [cancelWins, recoveryOnceWhole],
  X9: both(finalizationStands),
  X10: both(oneTerminal),
  X11: both({
    holds: [lands(terminal("finalize")), requests(), step("late")],
    violates: { "a request after its reply": [lands(terminal("finalize")), step("reply"), requests()] },
  }),
  X12: [
    {
      holds: [step("cancel"), lands(cancel), step("reply"), lands(terminal())],
      violates: { "a request": [step("cancel"), requests()] },
    },
    cancelWins,
  ],
  X13: both(recoveryOnceWhole),
  X14: both(nothingTwice),
  X15: [
    {
      holds: [step("cancel"), lands(cancel), step("reply"), step("tick"), lands(terminal())],
      violates: {
        "a request before the cancel has landed": [step("cancel"), step("tick"), requests()],
        "a response that is not aborted": [step("cancel"), lands(cancel), step("tick"), lands(settled)],
      },
    },
    cancelWins,
  ],
  X17: [
    {
      holds: {
        before: bothRun,
        steps: [step("cancel"), lands(cancel), finishes("send"), finishes("look", true), ended],
      },
      violates: {
        "a call starts": { before: bothRun, steps: [step("cancel"), starts("look")] },
        "a call has no result in the end": { before: bothRun, steps: [step("cancel"), finishes("send"), ended] },
        "a call has two results": {
          before: bothRun,
          steps: [step("cancel"), finishes("send"), finishes("send", true), finishes("look", true), ended],
        },
      },
    },
    {
      holds: [returns, step("cancel"), finishes("send"), finishes("look", true), ended],
      violates: {
        "an error takes its place": [returns, step("cancel"), finishes("send", true)],
        "an error follows it": [returns, step("cancel"), finishes("send"), finishes("send", true)],
      },
    },
  ],
  X18: both({
    holds: [returns, finishes("send"), lands(terminal("finalize")), step("late")],
    violates: { "a result after it": [lands(terminal("finalize")), finishes("send")] },
  }),
  X16: both({
    holds: [step("snapshot"), step("stream.update", { snapshots: [snapshot(false)] })],
    violates: {
      "it shows less than a listener was given": [
        step("snapshot"),
        step("stream.update", { snapshots: [snapshot(false), snapshot(true)] }),
      ],
    },
  }),
  X20: both({
    holds: [step("close", { openCalls: ["close"], atStore: ["frame"] }), step("reply"), step("late")],
    violates: {
      "it waits for the listener": [step("close", { openCalls: ["close"] }), step("late")],
      "it tells something afterwards": [
        step("close"),
        step("late", { events: [{ name: "message_update", recovery: false }] }),
      ],
    },
  }),
  X19: both({
    holds: [finishes("send"), step("crash", { durable: sent }), step("reopen", { durable: sent }), starts("look")],
    violates: {
      "a result is gone": [
        finishes("send"),
        step("crash", { durable: sent }),
        step("reopen", { durable: nothingSent }),
      ],
      "a finished call is made again": [finishes("send"), step("crash"), step("reopen"), starts("send")],
      "a finished call gets an error": [finishes("send"), step("crash"), step("reopen"), finishes("send", true)],
    },
  }),
};

function snapshot(behind: boolean) {
  return { hasPartial: true, behind, transcriptIds: [] };
}

const runOf = (run: Run): RaceRun => ("steps" in run ? run : { steps: run, before: undefined });
const orders = races.flatMap((race) =>
  ([0, 1] as const).map((order) => [race.id, race.required[order].sentence, race, order] as const),
);
const violations = orders.flatMap(([id, sentence, race, order]) =>
  Object.entries(cases[id]?.[order].violates ?? {}).map(
    ([name, run]) => [id, sentence, name, race, order, run] as const,
  ),
);

const startingWith = (letter: string): string[] =>
  races.map(({ id }) => id).filter((id) => id.startsWith(letter) && cases[id] !== undefined);

describe("race rows", () => {
  test("every row has a run on which each order holds and one on which it is violated", () => {
    const complete = races.filter(({ id }) => cases[id]?.every(({ violates }) => Object.keys(violates).length > 0));

    expect(complete.map(({ id }) => id)).toEqual(races.map(({ id }) => id));
    expect(Object.keys(cases).sort()).toEqual(races.map(({ id }) => id).sort());
  });

  test("the race table is all here, R1 to R9 and X1 to X20", () => {
    expect(startingWith("R")).toEqual(Array.from({ length: 9 }, (_, at) => `R${at + 1}`));
    expect(startingWith("X")).toEqual(Array.from({ length: 20 }, (_, at) => `X${at + 1}`));
  });

  test("ids are unique and every row names requirements that exist", () => {
    expect(new Set(races.map(({ id }) => id)).size).toBe(races.length);
    for (const race of races) {
      expect(race.requirements.length, race.id).toBeGreaterThan(0);
      for (const id of race.requirements) expect(requirements, race.id).toHaveProperty(id);
    }
  });

  test("a precedence says what provokes its second action, a choice does not", () => {
    for (const race of races) expect((race.provoke ?? []).length > 0, race.id).toBe(race.kind === "precedence");
  });

  test.each(orders)("[%s] holds: %s", (id, _sentence, race, order) => {
    const own = cases[id]?.[order] as Order;

    expect(race.required[order].violated(runOf(own.holds))).toBeUndefined();
    expect(race.required[order].violated({ steps: [], before: undefined })).toBeUndefined();
  });

  test.each(violations)("[%s] %s: violated when %s", (_id, _sentence, _name, race, order, run) => {
    expect(race.required[order].violated(runOf(run))).toMatch(/^\S+( \S+)+$/);
  });

  test.each(afterAccept())("[%s] what a later operation does is not judged", (_id, race, order, run) => {
    const { steps, before } = runOf(run);

    expect(race.required[order].violated({ steps: [accepts(), ...steps], before })).toBeUndefined();
  });
});

/** The forbidden order of a precedence is judged over the provocation alone, which no new operation is part of. */
function afterAccept(): (readonly [string, Race, 0 | 1, Run])[] {
  return violations
    .filter(([, , , race, order]) => race.kind === "choice" || order === 0)
    .map(([id, , , race, order, run]) => [id, race, order, run] as const);
}
