/** Random sessions as harnesses leave them, for forks, rewrites and migrations. */
import fc from "fast-check";
import { list, value } from "../../addresses/address.ts";
import {
  branchTip,
  entryLabel,
  laneConfig,
  laneState,
  operationMeta,
  operationResult,
  operationState,
  pendingAssistantFrames,
  pendingEntry,
  sessionName,
} from "../../addresses/builtins.ts";
import type { NewEntry } from "../../durable/entries.ts";
import type { LaneConfiguration } from "../../durable/operation.ts";
import { runSettingsOf } from "../../harness/state/scope.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import {
  appendList,
  deleteList,
  deleteValue,
  insertEntry,
  insertUsage,
  setValue,
  type Write,
} from "../../storage/contract/writes.ts";

/** A session with lanes, as harnesses leave it: idle lanes, open operations, and what earlier ones left. */
export interface GeneratedSession {
  readonly lanes: readonly GeneratedLane[];
  readonly transactions: readonly Write[][];
}

export interface GeneratedLane {
  readonly name: string;
  readonly tip: string | null;
  readonly kind: "branch" | "idle" | "open";
}

export const configuration: LaneConfiguration = {
  model: { provider: "fake", modelId: "small" },
  thinkingLevel: "off",
  activeToolNames: ["look"],
};

export const applicationValues = value<number>("app.settings");
export const applicationList = list<string>("app.events", "k");
const firstOfLeftFrames = "old:response";

const parents = fc.array(fc.option(fc.nat(), { nil: null, freq: 4 }), { maxLength: 12 });
const laneKinds = fc.constantFrom("absent" as const, "branch" as const, "idle" as const, "open" as const);
const laneChoice = fc.record({ kind: laneKinds, tip: fc.option(fc.nat(), { nil: null, freq: 6 }) });
const laneNames = ["main", "review", "a:b"] as const;

export const generatedSession: fc.Arbitrary<GeneratedSession> = fc
  .record({
    parents,
    lanes: fc.tuple(...laneNames.map(() => laneChoice)),
    seed: fc.nat(),
    cut: fc.integer({ min: 1, max: 6 }),
  })
  .map(({ parents: chosen, lanes: choices, seed, cut }) => {
    const entries = entriesOf(chosen);
    const lanes = choices.flatMap(({ kind, tip }, index): GeneratedLane[] => {
      const name = laneNames[index] as string;
      const id = tip === null || entries.length === 0 ? null : (entries[tip % entries.length]?.id ?? null);
      return kind === "absent" ? [] : [{ name, kind, tip: id }];
    });
    const rest = shuffled([...lanes.flatMap(writesOfLane), ...others(entries)], seed);
    // Entries first: a parent must be there before its child.
    return { lanes, transactions: cutInto([...entries.map(insertEntry), ...rest, ...endings()], cut) };
  });

function entriesOf(chosen: readonly (number | null)[]): NewEntry[] {
  return chosen.map((parent, index): NewEntry => {
    const parentId = parent === null || index === 0 ? null : `e${parent % index}`;
    if (index % 3 === 1) return { id: `e${index}`, parentId, type: "custom", customType: "note", data: index };
    const message = { role: "user" as const, content: `text ${index}`, timestamp: index };
    return { id: `e${index}`, parentId, type: "message", message };
  });
}

function writesOfLane({ name, tip, kind }: GeneratedLane): Write[] {
  if (kind === "branch") return [setValue(branchTip(name), tip)];
  const operationId = `op-${name}`;
  const current = kind === "open" ? operationId : null;
  const inbox = [{ entryId: `queued-${name}`, kind: "steer" as const }];
  return [
    setValue(branchTip(name), tip),
    setValue(laneConfig(name), configuration),
    setValue(laneState(name), { currentOperationId: current, lastOperationId: `last-${name}`, inbox }),
    setValue(pendingEntry(`queued-${name}`), { type: "custom", customType: "queued" }),
    setValue(operationResult(`last-${name}`), {
      operationId: `last-${name}`,
      kind: "run",
      status: "completed",
      fromTipId: null,
      tipId: tip,
      startedAt: 1,
      endedAt: 2,
    }),
    ...(kind === "open" ? openOperation(name, operationId, tip) : []),
  ];
}

function openOperation(lane: string, operationId: string, tip: string | null): Write[] {
  const frames = pendingAssistantFrames(operationId, `r-${lane}`);
  return [
    setValue(operationMeta(operationId), {
      operationId,
      lane,
      sourceTipId: tip,
      startedAt: 1,
      intent: { kind: "run", promptEntryIds: [] },
    }),
    setValue(operationState(operationId), {
      at: "assistant.ready",
      control: { status: "running" },
      settings: runSettingsOf({}),
      latestAssistantEntryId: null,
      generationContext: {
        stepId: "s",
        triggerEntryId: tip ?? "none",
        configuration,
        streamOptions: {},
        retryPolicy: { maxAttempts: 1, baseDelayMs: 0, maxAgentDelayMs: 0 },
        overflowRecoveryUsed: false,
      },
      nextAttempt: 1,
    }),
    appendList(frames, { type: "text_start", contentIndex: 0, content: { type: "text", text: "" } }),
    appendList(frames, { type: "text_delta", contentIndex: 0, delta: "ha" }),
  ];
}

function others(entries: readonly NewEntry[]): Write[] {
  const usage = (id: string) => insertUsage({ id, usage: { ...zeroUsage(), input: 3 }, adjustment: false });
  return [
    setValue(sessionName, "a name"),
    ...entries.filter((_entry, index) => index % 2 === 0).map(({ id }) => setValue(entryLabel(id), `label of ${id}`)),
    setValue(entryLabel("nowhere"), "a label of nothing"),
    usage("u1"),
    usage("u2"),
    setValue(applicationValues, 1),
    setValue(value<string>("pi2.settings"), "of another application"),
    appendList(applicationList, "first"),
    appendList(applicationList, "second"),
    appendList(list<string>("app.gone"), "deleted at the end"),
    setValue(value<unknown>("pi.op.tool_args", "old:step:0"), { left: "by an operation" }),
    setValue(value<unknown>("pi.pending.tool_output", "old:call"), "half an output"),
    appendList(list<unknown>("pi.pending.assistant_frame", firstOfLeftFrames), { type: "text_delta" }),
  ];
}

const endings = (): Write[] => [
  deleteList(list("app.gone")),
  setValue(applicationValues, 2),
  deleteValue(value("none")),
];

/** A fixed shuffle, so that what matters stays in one shrinkable number. */
function shuffled(writes: readonly Write[], seed: number): Write[] {
  return writes
    .map((write, index) => ({ write, at: ((index + 1) * 7_919 * (seed + 1)) % 10_007 }))
    .sort((left, right) => left.at - right.at)
    .map(({ write }) => write);
}

function cutInto(writes: readonly Write[], size: number): Write[][] {
  const transactions: Write[][] = [];
  for (let from = 0; from < writes.length; from += size) transactions.push(writes.slice(from, from + size));
  return transactions;
}
