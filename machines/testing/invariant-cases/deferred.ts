/** Hand-made histories of polls (section G). */
import type { HistoryStep, LandingFact } from "../../history.ts";
import type { RequirementId } from "../../requirements.ts";
import { activated, durableAt, landing, lands, reopened, requests, settlement, step, terminal } from "../hand-made.ts";
import type { Cases } from "./cases.ts";

const polled = (): HistoryStep => step("reply", { polls: [{ response: "r1", handle: "h" }] });

/** The lane waits for a poll, or has one of unknown outcome, as the step before an intent has left it. */
const deferredAt = (
  at: "deferred.suspended" | "deferred.effect_pending",
  { poll = 1, listed = 0 }: { poll?: number; listed?: number } = {},
): HistoryStep =>
  step("reopen", {
    durable: { ...durableAt(at, listed), poll },
    pendingResponse: at === "deferred.suspended" ? undefined : "r1",
  });

const pollIntent = (poll: number, more: Partial<LandingFact> = {}): HistoryStep => ({
  ...lands(landing("intent", { responseEntryId: "r2", ...more })),
  durable: { ...durableAt("deferred.effect_pending"), poll },
});

const givesUp = (): HistoryStep =>
  step("activate", { remoteCancels: ["h"], durable: deferredAt("deferred.effect_pending").durable });

/** The cases of section G. */
export const deferredCases = {
  G2: {
    good: {
      "each permit makes one poll": [step("permit"), polled(), step("permit"), polled()],
      "a permit whose intent had to wait": [step("permit"), step("land"), step("listener.release"), polled()],
    },
    bad: {
      "an activation without a permit": { step: 1, history: [activated(), polled()] },
      "two polls for one permit": { step: 2, history: [step("permit"), polled(), polled()] },
      "the permit of a process that is gone": {
        step: 3,
        history: [step("permit"), step("crash"), step("reopen"), polled()],
      },
    },
    without: [step("permit"), requests()],
  },
  G3: {
    good: {
      "the next poll": [deferredAt("deferred.suspended"), pollIntent(2)],
      "a replacement of a poll with frames": [
        deferredAt("deferred.effect_pending", { listed: 2 }),
        pollIntent(1, { deleted: ["op:r1"] }),
      ],
      "a replacement of a poll without frames": [deferredAt("deferred.effect_pending"), pollIntent(1)],
    },
    bad: {
      "the next poll keeps the number": { step: 1, history: [deferredAt("deferred.suspended"), pollIntent(1)] },
      "the replacement counts on": { step: 1, history: [deferredAt("deferred.effect_pending"), pollIntent(2)] },
      "the replacement keeps the id": {
        step: 1,
        history: [deferredAt("deferred.effect_pending"), pollIntent(1, { responseEntryId: "r1" })],
      },
      "the replacement leaves the list": {
        step: 1,
        history: [deferredAt("deferred.effect_pending", { listed: 1 }), pollIntent(1, { listsLeft: ["op:r1"] })],
      },
    },
    without: [reopened("ready"), lands(landing("intent"))],
  },
  G4: {
    good: {
      "an unknown poll": [givesUp(), lands(settlement("recover", "aborted"))],
      "a suspended operation": [
        givesUp(),
        deferredAt("deferred.suspended"),
        step("activate", { remoteCancels: ["h"], durable: durableAt("deferred.suspended") }),
        lands(terminal()),
      ],
    },
    bad: {
      "nobody was asked": {
        step: 1,
        history: [deferredAt("deferred.effect_pending"), lands(settlement("recover", "aborted"))],
      },
      "a process before had asked": {
        step: 2,
        history: [givesUp(), deferredAt("deferred.effect_pending"), lands(settlement("recover", "aborted"))],
      },
    },
    without: [reopened("effect_pending"), lands(settlement("recover", "aborted"))],
  },
} satisfies Partial<Record<RequirementId, Cases>>;
