/** One transaction as it lands, with what was durable before it: what the predictions of its rows are made from. */
import type { AssistantMessage, AssistantMessageFrame, Message } from "@earendil-works/pi-ai";
import type { CommitName } from "../../../machines/index.ts";
import type { Write } from "../../../src/index.ts";
import type { Blocks } from "../../contents/beat.ts";
import type { Interpreter } from "../interpreter.ts";

/** The parts of `pi.op.state` that predictions are made from. They were judged when they landed. */
export interface StoredState {
  readonly at: string;
  readonly control: { readonly status: string; readonly requestedAt?: number };
  readonly settings: unknown;
  readonly latestAssistantEntryId: string | null;
  readonly generationContext?: StoredGeneration;
  readonly nextAttempt?: number;
  readonly attempt?: number;
  readonly responseEntryId?: string;
  readonly usageId?: string;
  readonly stepId?: string;
  readonly sourceEntryId?: string;
  readonly poll?: number;
  readonly configuration?: unknown;
  readonly streamOptions?: unknown;
  readonly batch?: StoredBatch;
}

interface StoredGeneration {
  readonly stepId: string;
  readonly configuration: unknown;
  readonly streamOptions: unknown;
}

interface StoredBatch {
  readonly assistantEntryId: string;
  readonly calls: readonly { readonly sourceIndex: number; readonly resultEntryId: string; readonly runs?: number }[];
}

export interface StoredMeta {
  readonly operationId: string;
  readonly lane: string;
  readonly sourceTipId: string | null;
  readonly startedAt: number;
}

export interface NewEntry {
  readonly id: string;
  readonly parentId: string | null;
  readonly type: string;
  readonly message?: Message;
}

/** What a number of frames says: the message that the start showed, and the content. */
interface Committed {
  readonly start: Pick<AssistantMessage, "responseId" | "timestamp">;
  readonly content: Blocks;
}

/** What the world knows of what the provider and the application have said. */
export interface Said {
  /** The content that `frames` frames of a response's request carry, and the message that its start showed. */
  committed(responseEntryId: string, frames: number): Committed | undefined;
  /** The frame that stands at a position of a response's list, counted from 1; `undefined` when no request was made for it. */
  frame(responseEntryId: string, position: number): AssistantMessageFrame | undefined;
  /** The last message of a response's request, before any hook; `undefined` when the stream has not ended. */
  final(responseEntryId: string): AssistantMessage | undefined;
  /** The message of a response's request as it is now. */
  partial(responseEntryId: string): AssistantMessage | undefined;
  /** Prompts that were given and have not been accepted. */
  readonly unheard: ReadonlySet<string>;
  readonly maxAttempts: number;
}

/** A transaction on its way to being durable. */
export class Transaction {
  readonly name: CommitName | "internal";
  readonly writes: readonly Write[];
  readonly before: Interpreter;
  readonly said: Said;
  /** The time at which it came to the store, in milliseconds since 1970. */
  readonly nowMs: number;
  readonly entries: readonly NewEntry[];

  constructor(name: CommitName | "internal", writes: readonly Write[], before: Interpreter, said: Said, nowMs: number) {
    this.name = name;
    this.writes = writes;
    this.before = before;
    this.said = said;
    this.nowMs = nowMs;
    this.entries = writes.flatMap((write) => (write.kind === "entry" ? [write.entry as NewEntry] : []));
  }

  /** The response that it makes an entry. */
  get response(): { readonly id: string; readonly message: AssistantMessage } | undefined {
    for (const { id, message } of this.entries) if (message?.role === "assistant") return { id, message };
    return undefined;
  }

  tipBefore(lane: string): string | null {
    return (this.before.value("pi.branch.tip", lane) as string | null | undefined) ?? null;
  }

  /** The tip of the lane once it has landed. */
  tipAfter(lane: string): string | null {
    return this.entries.at(-1)?.id ?? this.tipBefore(lane);
  }

  set(namespace: string, key: string): unknown {
    for (const write of this.writes) {
      if (write.kind === "value" && write.op === "set" && write.namespace === namespace && write.key === key)
        return write.value;
    }
    return undefined;
  }

  metaOf(operationId: string): StoredMeta | undefined {
    return (this.set("pi.op.meta", operationId) ?? this.before.value("pi.op.meta", operationId)) as
      | StoredMeta
      | undefined;
  }

  stateBefore(operationId: string): StoredState | undefined {
    return this.before.value("pi.op.state", operationId) as StoredState | undefined;
  }
}
