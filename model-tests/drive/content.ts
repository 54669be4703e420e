/**
 * What the durable rows must say, word for word: expected content comes from the provider's script, never from frames
 * that were reduced.
 */
import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage, ToolResultMessage } from "@earendil-works/pi-ai";
import {
  type Effect,
  type ResponseInsert,
  type StreamingSource,
  type ToolEnd,
  type ToolName,
  toolNames,
} from "../../machines/index.ts";
import type { ObservedSnapshot } from "../adapters/adapter.ts";
import type { Blocks, Sayings } from "../contents/beat.ts";
import { committedContent } from "../contents/saying.ts";
import type { GraphNode } from "../explore/graph.ts";
import { currentFrames, observeDurable, operationScalars } from "../world/durable.ts";
import type { ReplayedEntry } from "../world/interpreter.ts";
import { marked, resultText } from "../world/script.ts";
import type { World } from "../world/world.ts";
import { type Mismatch, mismatch } from "./mismatch.ts";

interface Reserved {
  readonly responseEntryId: string;
  readonly usageId: string;
  readonly request: number | undefined;
  /** How many of its stored frames can be reduced. */
  readonly listed: number;
  /** Whether others than these are stored. */
  readonly damaged: boolean;
}

/** The calls of the newest response that plans any, and what is known of their results. */
interface Batch {
  readonly calls: readonly string[];
  /** How each call that has a result got it. */
  readonly ends: Readonly<Record<string, ToolEnd>>;
  /** How many results stand in the transcript. */
  readonly placed: number;
}

const noBatch: Batch = { calls: [], ends: {}, placed: 0 };

/** Follows the durable rows of one run and checks each step's new ones. */
export class ContentCheck {
  readonly #world: World;
  #entries = 0;
  #usage = 0;
  #reserved: Reserved | undefined;
  #batch = noBatch;

  constructor(world: World) {
    this.#world = world;
  }

  /** Check the rows that a step added against the effects of its transition. */
  check(effects: readonly Effect[]): Mismatch | undefined {
    const { durable } = this.#world;
    let found: Mismatch | undefined;
    for (const effect of effects) {
      if (effect.kind === "prompt") found ??= this.#prompt();
      else if (effect.kind === "response") found ??= this.#response(effect.insert);
      else if (effect.kind === "tool_results") this.#ended(effect.tools, effect.as);
    }
    found ??= this.#results() ?? this.#missingResult();
    if (found !== undefined) return found;
    if (durable.entries.length !== this.#entries) {
      return mismatch("D1", "entries in the transcript", this.#entries, durable.entries.length);
    }
    if (durable.usage.length !== this.#usage) return mismatch("D1", "usage rows", this.#usage, durable.usage.length);
    this.#remember();
    return undefined;
  }

  #remember(): void {
    const state = operationScalars(this.#world.durable);
    if (state?.responseEntryId === undefined || state.usageId === undefined) return;
    this.#reserved = {
      responseEntryId: state.responseEntryId,
      usageId: state.usageId,
      request: this.#world.requestOf.get(state.responseEntryId),
      ...this.#listed(state.responseEntryId),
    };
  }

  #listed(response: string): Pick<Reserved, "listed" | "damaged"> {
    const stored = currentFrames(this.#world.durable).length;
    const listed = this.#world.tampering.readable(response, stored);
    return { listed, damaged: listed < stored };
  }

  #nextEntry(): ReplayedEntry | undefined {
    return this.#world.durable.entries[this.#entries++];
  }

  #prompt(): Mismatch | undefined {
    const role = roleOf(this.#nextEntry());
    return role === "user" ? undefined : mismatch("O1", "accepted prompt entry", "user", role);
  }

  #response(insert: ResponseInsert): Mismatch | undefined {
    const reserved = this.#reserved;
    const entry = this.#nextEntry();
    const parent = this.#world.durable.entries[this.#entries - 2]?.id ?? null;
    if (reserved === undefined || entry === undefined) return mismatch("D1", "response entry", "present", "absent");
    if (entry.id !== reserved.responseEntryId) return mismatch("E5", "response id", reserved.responseEntryId, entry.id);
    if (entry.parentId !== parent) return mismatch("D1", "parent of the response", parent, entry.parentId);
    return (
      this.#message(insert, entry.message.value as AssistantMessage, reserved) ??
      this.#usageRow(insert, entry, reserved)
    );
  }

  #message(insert: ResponseInsert, message: AssistantMessage, reserved: Reserved): Mismatch | undefined {
    if (message.role !== "assistant") return mismatch("D1", "response role", "assistant", message.role);
    if (message.stopReason !== insert.stop) return mismatch("D5", "stopReason", insert.stop, message.stopReason);
    const expected =
      insert.origin === "live" ? this.#liveContent(insert, reserved) : syntheticContent(reserved, this.#world.sayings);
    const { content } = message;
    if (!isDeepStrictEqual(content, expected)) {
      return mismatch(insert.origin === "live" ? "D3" : "E3", "response content", expected, content);
    }
    if (insert.stop === "toolUse" || insert.stop === "length") {
      this.#batch = {
        ...noBatch,
        calls: message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])),
      };
    }
    if (insert.origin === "live") return undefined;
    return syntheticForm(insert, message) ?? (reserved.damaged ? damageTold(message) : undefined);
  }

  #liveContent({ hooked }: ResponseInsert, { request }: Reserved): Blocks {
    const final = this.#world.finalMessages.get(request ?? -1);
    if (final === undefined) return [];
    return (hooked ? marked(final) : final).content;
  }

  /** The row says what the response says, and a live response what the provider has reported (D1, F2). */
  #usageRow(insert: ResponseInsert, entry: ReplayedEntry, reserved: Reserved): Mismatch | undefined {
    const row = this.#world.durable.usage[this.#usage++];
    if (row?.id !== reserved.usageId) return mismatch("D1", "usage row id", reserved.usageId, row?.id ?? "absent");
    const { usage } = entry.message.value as AssistantMessage;
    const reported = insert.origin === "live" ? this.#world.finalMessages.get(reserved.request ?? -1)?.usage : usage;
    const stored = row.usage.value;
    if (!isDeepStrictEqual(stored, usage)) return mismatch("D1", "usage row", usage, stored);
    return isDeepStrictEqual(stored, reported) ? undefined : mismatch("F2", "reported usage", reported, stored);
  }

  #ended(tools: readonly ToolName[], as: ToolEnd): void {
    const ends = tools.map((tool) => [this.#batch.calls[toolNames.indexOf(tool)] ?? tool, as] as const);
    this.#batch = { ...this.#batch, ends: { ...this.#batch.ends, ...Object.fromEntries(ends) } };
  }

  /** Durable results become entries in the order of their calls, now or later: the harness has the choice (Q1). */
  #results(): Mismatch | undefined {
    while (roleOf(this.#world.durable.entries[this.#entries]) === "toolResult") {
      const message = this.#nextEntry()?.message.value as ToolResultMessage;
      const { calls, ends, placed } = this.#batch;
      const call = calls[placed] ?? "none";
      this.#batch = { ...this.#batch, placed: placed + 1 };
      if (observeDurable(this.#world.durable).outcome === "finalized") {
        return mismatch("K3", "tool result", "none: an outside party has ended the operation", message.toolCallId);
      }
      const wrong = wrongResult(message, call, ends[call]);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }

  /** An operation that has left its tools has left no call without a result, unless an outside party ended it (K3). */
  #missingResult(): Mismatch | undefined {
    if (observeDurable(this.#world.durable).outcome === "finalized") this.#batch = noBatch;
    const { calls, placed } = this.#batch;
    if (placed >= calls.length || operationScalars(this.#world.durable)?.at === "tools") return undefined;
    return mismatch("D5", "tool result", `one of ${calls[placed]}`, "absent");
  }

  /** What a reader would be told at `node` with the durable rows as they are now (I1, I2). */
  view(node: GraphNode): View {
    const { open, streaming } = node.expected.snapshot;
    return { open, entries: this.#world.durable.entries.map(({ id }) => id), partials: this.#partials(streaming) };
  }

  #partials(source: StreamingSource): readonly Partial[] {
    const response = operationScalars(this.#world.durable)?.responseEntryId ?? "";
    const request = this.#world.requestOf.get(response) ?? 0;
    const script = this.#world.gates?.stream?.script;
    const live = script?.started ? structuredClone(script.partial.content) : "absent";
    const { listed } = this.#listed(response);
    const durable = committedContent(this.#world.sayings(request), listed) ?? "absent";
    if (source === "live") return [live];
    if (source === "durable") return [durable];
    return source === "either" ? [live, durable] : ["absent"];
  }
}

type Partial = Blocks | "absent";

/** One state of the lane as a reader may see it. */
export interface View {
  readonly open: boolean;
  readonly entries: readonly string[];
  /** The contents that `streamingMessage` may have. */
  readonly partials: readonly Partial[];
}

/** A snapshot shows the lane as it was at some moment of the step that delivered it. */
export function compareSnapshot(seen: ObservedSnapshot, before: View, after: View): Mismatch | undefined {
  const shown = seen.transcript.map(({ id }) => id);
  const isPrefix = shown.every((id, at) => after.entries[at] === id) && shown.length <= after.entries.length;
  if (!isPrefix || shown.length < before.entries.length) {
    return mismatch("I2", "snapshot: transcript", after.entries, shown);
  }
  return compareView(seen, before) === undefined ? undefined : compareView(seen, after);
}

function compareView(seen: ObservedSnapshot, { open, partials }: View): Mismatch | undefined {
  if (seen.open !== open) return mismatch("I1", "snapshot: operation open", open, seen.open);
  const content = seen.streamingMessage?.content ?? "absent";
  if (partials.some((candidate) => isDeepStrictEqual(candidate, content))) return undefined;
  return mismatch("I1", "snapshot: streamingMessage", partials.length === 1 ? partials[0] : partials, content);
}

/** A call that has returned keeps its text; an error of unknown outcome says that nobody knows it (Q1). */
function wrongResult(message: ToolResultMessage, call: string, end: ToolEnd | undefined): Mismatch | undefined {
  const said = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  const seen = { call: message.toolCallId, failed: message.isError, said };
  const expected = { call, failed: end !== "returned", said: end === "returned" ? resultText(call) : said };
  if (end === undefined) return mismatch("Q1", "tool result", `none of ${call} yet`, seen);
  if (!isDeepStrictEqual(seen, expected))
    return mismatch(end === "aborted" ? "F4" : "D5", "tool result", expected, seen);
  if (end !== "interrupted" || /unknown/i.test(said)) return undefined;
  return mismatch("Q1", "tool result", { ...expected, said: "the outcome is unknown" }, seen);
}

const roleOf = (entry: ReplayedEntry | undefined): string =>
  (entry?.message.value as { role?: string } | undefined)?.role ?? "absent";

const syntheticContent = ({ request, listed }: Reserved, sayings: Sayings): Blocks =>
  (request === undefined ? undefined : committedContent(sayings(request), listed)) ?? [];

/** A partial that is less than what was stored says so, in its error or in a report (B4). */
function damageTold({ errorMessage = "absent", diagnostics = [] }: AssistantMessage): Mismatch | undefined {
  if (/damage|reduc|refuse|corrupt/i.test(JSON.stringify([errorMessage, diagnostics]))) return undefined;
  return mismatch("B4", "damage of a synthetic response", "told", errorMessage);
}

/** What the error of an interrupted response tells its reader (E3). */
const interruption = [/interrupted/i, /committed partial/i, /newer live output may be missing/i, /unknown/i];

/** E3: explicit, interrupted, no usage. Its partial content stays, tool calls included; they are never a plan (N10). */
function syntheticForm({ stop }: ResponseInsert, message: AssistantMessage) {
  const { usage, errorMessage = "absent", provider, model } = message;
  if (!isZero(usage)) return mismatch(stop === "aborted" ? "F3" : "E3", "usage of a synthetic response", 0, usage);
  if (stop === "error" && !interruption.every((words) => words.test(errorMessage))) {
    return mismatch("E3", "errorMessage of a synthetic response", "request interrupted, ...", errorMessage);
  }
  if (provider !== "scripted" || model !== "scripted-1") {
    return mismatch("E4", "identity of a synthetic response", "scripted/scripted-1", `${provider}/${model}`);
  }
  return undefined;
}

/** Whether every number in a usage record is zero, the costs included. */
const isZero = (usage: unknown): boolean =>
  typeof usage === "object" && usage !== null ? Object.values(usage).every(isZero) : usage === 0;
