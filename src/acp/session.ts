/** One session that a client has open: a harness over its store, and the prompt turn that is under way. */
import type { ContentBlock, SessionUpdate, StopReason } from "@agentclientprotocol/sdk";
import type { ToolResultMessage } from "@earendil-works/pi-ai";
import { NoOpenOperation } from "../errors.ts";
import { type Harness, openHarness } from "../harness/harness.ts";
import type { Lane } from "../harness/lane.ts";
import type { HarnessEvent } from "../harness/listening/events.ts";
import type { ActivationOutcome, HarnessOptions } from "../harness/options.ts";
import { systemClock } from "../session/clock.ts";
import { Session } from "../session/session.ts";
import type { Storage } from "../storage/contract/storage.ts";
import { interruptionUpdate, promptContent, toolCallUpdate, toolResultUpdate, updatesOf } from "./blocks.ts";

/** Tells the client. The next thing waits until it is handed over. */
export type Tell = (update: SessionUpdate) => Promise<void>;

/** What a harness is opened with, apart from its session. */
export type AcpHarnessOptions = Omit<HarnessOptions, "session" | "onEvent">;

/** How long an answer that is not there yet is left alone when its provider does not say. */
const pollAfterMs = 1_000;

/** An open session. One client drives it, by one prompt at a time. */
export class AcpSession {
  readonly #harness: Harness;
  readonly #lane: Lane;
  readonly #tell: Tell;
  readonly #ending = new AbortController();
  #turn: Promise<unknown> | undefined;

  private constructor(harness: Harness, lane: Lane, tell: Tell) {
    this.#harness = harness;
    this.#lane = lane;
    this.#tell = tell;
  }

  /**
   * Opens a session. An operation that a crash left open is cancelled: its committed partial becomes an aborted answer of
   * the transcript (F3), and the session can take a prompt.
   */
  static async open(storage: Storage, options: AcpHarnessOptions, tell: Tell): Promise<AcpSession> {
    const harness = await openHarness({ ...options, session: new Session(storage) });
    try {
      const lane = await harness.lane("main");
      const { operation } = await lane.snapshot();
      if (operation !== null) {
        await lane.cancel();
        await lane.activate();
      }
      return new AcpSession(harness, lane, tell);
    } catch (error) {
      await harness.close();
      throw error;
    }
  }

  /** Whether a prompt is under way. */
  get busy(): boolean {
    return this.#turn !== undefined;
  }

  /** Tells the client the conversation so far, in whole blocks (P6). */
  async replay(): Promise<void> {
    const { transcript } = await this.#lane.snapshot();
    for (const update of updatesOf(transcript)) await this.#tell(update);
  }

  /** Sends a prompt and tells the client what comes, until the turn ends. */
  prompt(prompt: readonly ContentBlock[]): Promise<StopReason> {
    const turn = this.#prompt(prompt).finally(() => {
      this.#turn = undefined;
    });
    this.#turn = turn;
    return turn;
  }

  /** Cancels the turn that is under way, if there is one. */
  async cancel(): Promise<void> {
    if (this.#turn === undefined) return;
    try {
      // The session line has the turn's acceptance before this.
      await this.#lane.cancel();
    } catch (error) {
      // The turn has just ended.
      if (!(error instanceof NoOpenOperation)) throw error;
    }
  }

  /** Ends the turn as a cancel does, and closes the session. */
  async close(): Promise<void> {
    await this.cancel();
    await this.#turn?.catch(() => {});
    this.#ending.abort();
    await this.#harness.close();
  }

  async #prompt(prompt: readonly ContentBlock[]): Promise<StopReason> {
    const content = promptContent(prompt);
    const stopListening = this.#harness.on((event) => this.#report(event));
    try {
      await this.#lane.accept({ prompt: [{ role: "user", content, timestamp: systemClock.now() }] });
      return await this.#drive();
    } finally {
      stopListening();
    }
  }

  async #drive(): Promise<StopReason> {
    let outcome = await this.#lane.activate();
    while (outcome.kind === "suspended") {
      const due = systemClock.now() + (outcome.handle.pollAfterMs ?? pollAfterMs);
      await systemClock.sleepUntil(due, this.#ending.signal);
      outcome = await this.#lane.activate({ permit: true });
    }
    return stopReasonOf(outcome, await this.#wasCutOff());
  }

  async #wasCutOff(): Promise<boolean> {
    const last = (await this.#lane.snapshot()).transcript.at(-1);
    return last?.type === "message" && last.message.role === "assistant" && last.message.stopReason === "length";
  }

  async #report(event: HarnessEvent): Promise<void> {
    const update = updateOf(event);
    if (update !== undefined) await this.#tell(update);
  }
}

/** What a client is told of an event, as it comes. */
function updateOf(event: HarnessEvent): SessionUpdate | undefined {
  if (event.type === "message_update") {
    const { event: told } = event;
    if (told.type === "toolcall_end") return toolCallUpdate(told.toolCall);
    if (told.type !== "text_delta" && told.type !== "thinking_delta") return undefined;
    const sessionUpdate = told.type === "text_delta" ? "agent_message_chunk" : "agent_thought_chunk";
    return { sessionUpdate, content: { type: "text", text: told.delta } };
  }
  if (event.type !== "entry_added" || event.entry.type !== "message") return undefined;
  const { message, id } = event.entry;
  if (message.role === "toolResult") return toolResultUpdate(message as ToolResultMessage);
  if (message.role !== "assistant") return undefined;
  return message.stopReason === "error" || message.stopReason === "aborted"
    ? interruptionUpdate(message, id)
    : undefined;
}

function stopReasonOf(outcome: ActivationOutcome, isCutOff: boolean): StopReason {
  if (outcome.kind !== "settled") throw new Error(`The turn stopped at "${outcome.kind}"`);
  const { status, error } = outcome.result;
  if (status === "aborted") return "cancelled";
  if (status === "failed") throw new Error(error?.message ?? "The turn failed");
  return isCutOff ? "max_tokens" : "end_turn";
}
