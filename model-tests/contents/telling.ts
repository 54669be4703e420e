/** Tells blocks one update after the other, and knows for each what is shown and what its frame is. */
import type { AssistantMessageFrame, ToolCall } from "@earendil-works/pi-ai";
import type { Beat, Block, Blocks, Update } from "./beat.ts";

type Spoken = "text" | "thinking";

interface Open {
  readonly kind: Spoken | "toolCall";
  /** What was said at the start already. Deltas that repeat it give no frame. */
  readonly ahead: string;
  /** All that the deltas have said. */
  told: string;
}

const spokenBlock = (kind: Spoken, said: string): Block =>
  kind === "text" ? { type: "text", text: said } : { type: "thinking", thinking: said };

/** Every method tells one update. Blocks are numbered in the order of their starts. */
export class Telling {
  #shown: Blocks = [];
  #carried: Blocks = [];
  readonly #open = new Map<number, Open>();

  /** How many blocks have started. */
  get blocks(): number {
    return this.#carried.length;
  }

  /** A block begins. `ahead`: what the message shows of it already, while the deltas are still to come. */
  start(kind: Spoken, ahead = "", more: Partial<Block> = {}): Beat {
    const at = this.#begin({ ...spokenBlock(kind, ahead), ...more } as Block, { kind, ahead, told: "" });
    const content = this.#carried[at];
    return this.#beat(
      { type: `${kind}_start`, contentIndex: at } as Update,
      {
        type: `${kind}_start`,
        contentIndex: at,
        content,
      } as AssistantMessageFrame,
    );
  }

  /**
   * A delta of a text or of thinking. It must reach beyond what the start was ahead.
   *
   * @param lead what the message shows beyond this delta (B6).
   */
  say(at: number, delta: string, lead = ""): Beat {
    const open = this.#open.get(at) as Open;
    const kind = open.kind as Spoken;
    const covered = Math.max(0, open.ahead.length - open.told.length);
    open.told += delta;
    this.#carry(at, spokenBlock(kind, open.told));
    this.#show(at, spokenBlock(kind, open.told + lead));
    return this.#beat(
      { type: `${kind}_delta`, contentIndex: at, delta },
      { type: `${kind}_delta`, contentIndex: at, delta: delta.slice(covered) },
    );
  }

  /** The block ends with a value that stands, whatever the deltas said (B5). */
  end(at: number, said?: string, more: Partial<Block> = {}): Beat {
    const { kind, told } = this.#open.get(at) as Open;
    const content = said ?? told;
    this.#finish(at, { ...spokenBlock(kind as Spoken, content), ...more } as Block);
    const { type: _type, ...signed } = more as { type?: string };
    return this.#beat({ type: `${kind as Spoken}_end`, contentIndex: at, content }, {
      type: `${kind as Spoken}_end`,
      contentIndex: at,
      content,
      ...signed,
    } as AssistantMessageFrame);
  }

  /** A tool call begins; `call` has the arguments that the message shows already. */
  startCall(call: ToolCall): Beat {
    const at = this.#begin(call, { kind: "toolCall", ahead: JSON.stringify(call.arguments), told: "" });
    return this.#beat(
      { type: "toolcall_start", contentIndex: at },
      { type: "toolcall_start", contentIndex: at, toolCall: call },
    );
  }

  /**
   * A piece of a call's arguments, after which they read as `given`. A call that began ahead has caught up with it.
   *
   * @param shown the arguments that the message shows. Default: as many.
   */
  callDelta(at: number, delta: string, given: ToolCall["arguments"], shown = given): Beat {
    const open = this.#open.get(at) as Open;
    const behind = open.told === "" && open.ahead !== "{}";
    open.told += delta;
    const call = this.#carried[at] as ToolCall;
    this.#carry(at, { ...call, arguments: given });
    this.#show(at, { ...call, arguments: shown });
    return this.#beat(
      { type: "toolcall_delta", contentIndex: at, delta },
      behind
        ? { type: "toolcall_checkpoint", contentIndex: at, json: open.told }
        : { type: "toolcall_delta", contentIndex: at, delta },
    );
  }

  /** The call ends as it stands in `call`, whatever its start and its deltas said (B5). */
  endCall(at: number, call: ToolCall): Beat {
    this.#finish(at, call);
    const { type: _type, ...frame } = call;
    return this.#beat(
      { type: "toolcall_end", contentIndex: at, toolCall: call },
      { type: "toolcall_end", contentIndex: at, ...frame },
    );
  }

  #begin(block: Block, open: Open): number {
    const at = this.#carried.length;
    this.#carried = [...this.#carried, block];
    this.#shown = [...this.#shown, block];
    this.#open.set(at, open);
    return at;
  }

  #carry(at: number, block: Block): void {
    this.#carried = this.#carried.with(at, block);
  }

  #show(at: number, block: Block): void {
    this.#shown = this.#shown.with(at, block);
  }

  #finish(at: number, block: Block): void {
    this.#carry(at, block);
    this.#show(at, block);
    this.#open.delete(at);
  }

  #beat(event: Update, frame: AssistantMessageFrame): Beat {
    return { event, frame, shows: this.#shown, carries: this.#carried, covered: this.#covered() };
  }

  /** An empty delta of a block that is open: of such blocks there is always one. */
  #covered(): Update {
    const [at, open] = [...this.#open].at(-1) as [number, Open];
    const type = open.kind === "toolCall" ? "toolcall_delta" : (`${open.kind}_delta` as const);
    return { type, contentIndex: at, delta: "" };
  }
}
