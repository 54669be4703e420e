/**
 * A small harness that shares no code with this project's own: one lane, one attempt, frames, settlement. It has a fault
 * that many young harnesses have: after a restart it asks the model again, and what the user had read is gone.
 */
import type { Api, AssistantMessage, AssistantMessageEvent, Model, Models } from "@earendil-works/pi-ai";
import { AssistantMessageFrameEncoder } from "@earendil-works/pi-ai/utils/assistant-message-frame";
import type { Entry, Storage, Write } from "assistant-durability";

export interface SmallHarnessOptions {
  storage: Storage;
  models: Pick<Models, "streamSimple">;
  model: Model<Api>;
  newId(): string;
  now(): number;
  onEvent(event: SmallEvent): Promise<void>;
  afterResponse(message: AssistantMessage): Promise<AssistantMessage>;
}

export type SmallEvent =
  | { type: "message_start" | "message_update" | "usage" }
  | { type: "message_end" | "entry_added"; entryId: string }
  | { type: "operation_end"; operationId: string };

interface Open {
  id: string;
  at: "assistant.ready" | "assistant.effect_pending" | "checkpoint";
  responseEntryId?: string;
}

const lane = "main";
const set = (namespace: string, key: string, value: unknown): Write => ({
  kind: "value",
  op: "set",
  namespace,
  key,
  value,
});
const remove = (namespace: string, key: string): Write => ({ kind: "value", op: "delete", namespace, key });
const frames = "pi.pending.assistant_frame";

export class SmallHarness {
  readonly #options: SmallHarnessOptions;
  #tip: string | null = null;
  #open: Open | undefined;
  #streaming: AssistantMessage | undefined;
  /** The one line of the session: a transaction begins when the one before is replied. */
  #line: Promise<unknown> = Promise.resolve();

  constructor(options: SmallHarnessOptions) {
    this.#options = options;
  }

  /** Reads where the last process stopped. */
  async open(): Promise<void> {
    const { storage } = this.#options;
    const value = async <T>(namespace: string, key: string) =>
      (await storage.getValue({ kind: "value", namespace, key } as never))?.value as T | undefined;
    this.#tip = (await value<string | null>("pi.branch.tip", lane)) ?? null;
    const id = (await value<{ currentOperationId: string | null }>("pi.lane.state", lane))?.currentOperationId;
    if (id) this.#open = { ...(await value<Open>("pi.op.state", id)), id } as Open;
  }

  async accept(prompt: string): Promise<void> {
    if (this.#open !== undefined) throw new Error("busy");
    const { newId, now } = this.#options;
    const operation: Open = { id: newId(), at: "assistant.ready" };
    const id = newId();
    const message = { role: "user" as const, content: prompt, timestamp: now() };
    await this.#commit([
      { kind: "entry", entry: { id, parentId: this.#tip, type: "message", message } },
      set("pi.branch.tip", lane, id),
      set("pi.op.meta", operation.id, { operationId: operation.id, lane, startedAt: now(), sourceTipId: this.#tip }),
      this.#state(operation),
      set("pi.lane.state", lane, { currentOperationId: operation.id, lastOperationId: null, inbox: [] }),
    ]);
    this.#tip = id;
    this.#open = operation;
  }

  /** Drives the open operation to its end. */
  async run(): Promise<"completed"> {
    const open = this.#open;
    if (open === undefined) throw new Error("nothing to run");
    if (open.at !== "checkpoint") await this.#generate(open);
    const { now, onEvent } = this.#options;
    const result = { operationId: open.id, kind: "run", status: "completed", tipId: this.#tip, endedAt: now() };
    await this.#commit([
      remove("pi.op.meta", open.id),
      remove("pi.op.state", open.id),
      set("pi.result", open.id, result),
      set("pi.lane.state", lane, { currentOperationId: null, lastOperationId: open.id, inbox: [] }),
    ]);
    this.#open = undefined;
    void onEvent({ type: "operation_end", operationId: open.id });
    return "completed";
  }

  /** What the user sees. */
  async snapshot(): Promise<{ operation?: string; transcript: Entry[]; streaming: AssistantMessage | undefined }> {
    const { storage } = this.#options;
    const start = this.#tip;
    const transcript = start === null ? [] : await storage.scanBranch({ start, order: "oldestFirst" });
    const streaming = structuredClone(this.#streaming);
    return this.#open === undefined ? { transcript, streaming } : { operation: this.#open.id, transcript, streaming };
  }

  async close(): Promise<void> {
    await this.#options.storage.close();
  }

  /** One request and its settlement. The fault: an interrupted request is forgotten and made again. */
  async #generate(open: Open): Promise<void> {
    const { newId, onEvent, models, model, afterResponse } = this.#options;
    const responseEntryId = newId();
    const usageId = newId();
    await this.#commit([this.#state(open, "assistant.effect_pending", { attempt: 1, responseEntryId, usageId })]);
    const content = (await this.snapshot()).transcript.flatMap((entry) => ("message" in entry ? [entry.message] : []));
    const list = { kind: "list", namespace: frames, key: `${open.id}:${responseEntryId}` } as const;
    const observed = await this.#read(models.streamSimple(model, { messages: content }), list);
    const message = await afterResponse(observed);
    void onEvent({ type: "message_end", entryId: responseEntryId });
    await this.#commit([
      { kind: "entry", entry: { id: responseEntryId, parentId: this.#tip, type: "message", message } },
      { kind: "usage", row: { id: usageId, usage: message.usage, entryId: responseEntryId, adjustment: false } },
      set("pi.branch.tip", lane, responseEntryId),
      { ...list, op: "delete" },
      this.#state(open, "checkpoint", { continuation: { kind: "may_finish" }, triggerEntryId: responseEntryId }),
    ]);
    this.#tip = responseEntryId;
    this.#streaming = undefined;
    void onEvent({ type: "entry_added", entryId: responseEntryId });
    void onEvent({ type: "usage" });
  }

  /** Queues a frame for each event, without waiting for the store, and waits for the last one at the end. */
  async #read(
    stream: AsyncIterable<AssistantMessageEvent>,
    list: { kind: "list"; namespace: string; key: string },
  ): Promise<AssistantMessage> {
    const encoder = new AssistantMessageFrameEncoder();
    let final: AssistantMessage | undefined;
    let latest: Promise<unknown> | undefined;
    for await (const event of stream) {
      const frame = encoder.encode(event);
      if (frame !== undefined) latest = this.#commit([{ ...list, op: "append", value: frame }]);
      if (event.type === "done") final = event.message;
      else if (event.type === "error") final = event.error;
      else {
        this.#streaming = event.partial;
        await this.#options.onEvent({ type: event.type === "start" ? "message_start" : "message_update" });
      }
    }
    await latest;
    if (final === undefined) throw new Error("the stream has no end");
    return final;
  }

  #state(open: Open, at: Open["at"] = open.at, more: object = {}): Write {
    open.at = at;
    return set("pi.op.state", open.id, { at, control: { status: "running" }, nextAttempt: 1, ...more });
  }

  #commit(writes: Write[]): Promise<unknown> {
    const commit = this.#line.then(() => this.#options.storage.commit(writes));
    this.#line = commit.catch(() => {});
    return commit;
  }
}
