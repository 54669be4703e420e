/** Reads what the provider answers to one request, and makes each frame durable on the way (C1, C2, Q4, Q6). */
import type { AssistantMessage, AssistantMessageEvent } from "@earendil-works/pi-ai";
import { pendingAssistantFrames } from "../../addresses/builtins.ts";
import type { EffectPending } from "../../durable/state.ts";
import { ProviderProtocolError } from "../../errors.ts";
import type { AppendOutcome } from "../../session/line.ts";
import { appendList } from "../../storage/contract/writes.ts";
import type { StreamUpdate } from "../listening/events.ts";
import { readStream, type StreamingEvent, type StreamSink } from "../reading/stream.ts";
import { withCountableUsage, withReadableUsage } from "../reading/usage.ts";
import type { Response } from "../settlement/plan-settlement.ts";
import { brokenResponse, storableResponse } from "../settlement/storable-response.ts";
import { patienceOf } from "../state/patience.ts";
import { ownsResponse } from "./commit-settlement.ts";
import type { Drive } from "./drive.ts";
import { leftBehind } from "./left-behind.ts";
import { Silence } from "./silence.ts";
import type { Wait } from "./wait.ts";

/** Sends the request that an intent reserved a response for. */
export type Send = (signal: AbortSignal) => AsyncIterable<AssistantMessageEvent>;

/** One request as it is answered: its frames, and what had been said when it breaks off. */
export class Observation {
  readonly #drive: Drive;
  readonly #intent: EffectPending;
  readonly #wait: Wait;
  readonly #silence: Silence;
  #partial: AssistantMessage | undefined;
  #finalUsage: unknown;
  /** On a FIFO line the latest write is the last to land (C5). */
  latestFrameWrite: Promise<AppendOutcome> | undefined;

  constructor(drive: Drive, intent: EffectPending) {
    this.#drive = drive;
    this.#intent = intent;
    this.#wait = drive.newWait();
    this.#silence = new Silence(drive.core, patienceOf(drive.scope.options).providerSilenceMs);
  }

  /** The response; `undefined` when the drive is over. A stream that breaks its protocol costs this response alone (Q6). */
  async read(send: Send): Promise<Response | undefined> {
    // The signal of the drive, and one that is pulled when the provider is left behind.
    const leaving = new AbortController();
    this.#silence.watch(this.#wait).catch((error: unknown) => this.#drive.core.fail(error));
    try {
      const final = await readStream(
        request(send, AbortSignal.any([this.#drive.signal, leaving.signal])),
        this.#sink(),
      );
      if (this.#drive.over) return undefined;
      const { left } = this.#wait;
      if (left === "silent") leaving.abort();
      if (left !== undefined) return { message: leftBehind(this.#drive, left), interrupted: false };
      return final && { message: this.#answer(final), interrupted: false };
    } catch (error) {
      if (!(error instanceof ProviderProtocolError) || this.#drive.over) throw error;
      leaving.abort();
      return { message: this.#broken(error), interrupted: true };
    } finally {
      this.#silence.end();
    }
  }

  /** A final message that no store would keep, or that only a cancel explains, is none (Q2, D5). */
  #answer(message: AssistantMessage): AssistantMessage {
    const { stopReason } = message;
    if (stopReason === "pending" || (stopReason === "aborted" && !this.#drive.lane.cancelRequested)) {
      throw new ProviderProtocolError(`the response ended as "${stopReason}" although nobody cancelled it`, "its end");
    }
    try {
      return storableResponse(withReadableUsage(message, this.#drive.core.clock.now()));
    } catch (error) {
      throw new ProviderProtocolError(`the response cannot be stored: ${String(error)}`, "its end", error);
    }
  }

  #broken(error: ProviderProtocolError): AssistantMessage {
    const drive = this.#drive;
    if (!drive.lane.cancelRequested) {
      void drive.scope.hub.emit({ type: "listener_error", kind: "provider", error, during: "stream" });
    }
    const said = { partial: this.#partial, usage: this.#finalUsage ?? this.#partial?.usage };
    return brokenResponse(this.#intent, said, error, drive.core.clock.now());
  }

  #sink(): StreamSink {
    const drive = this.#drive;
    const wait = this.#wait;
    const silence = this.#silence;
    return {
      get over() {
        return drive.over;
      },
      async wait(answer, whom) {
        if (whom === "provider") silence.ask();
        const answered = await wait.for(answer);
        silence.hear();
        return wait.left === undefined ? answered : undefined;
      },
      taken: (event) => this.#note(event),
      append: (frame) => {
        const { responseEntryId } = this.#intent;
        const frames = pendingAssistantFrames(drive.operationId, responseEntryId);
        const write = drive.core.append(() =>
          ownsResponse(drive, responseEntryId) ? [appendList(frames, frame)] : undefined,
        );
        // The line faults at a write that fails. Only the latest is kept, and not every one is awaited.
        write.catch(() => {});
        this.latestFrameWrite = write;
      },
      tell: (event) => this.#tell(event),
    };
  }

  /** What an end reports counts, even when the stream is broken (Q6). */
  #note(event: AssistantMessageEvent | undefined): void {
    if (event?.type === "done") this.#finalUsage = event.message?.usage;
    else if (event?.type === "error") this.#finalUsage = event.error?.usage;
  }

  async #tell(event: StreamingEvent): Promise<void> {
    this.#partial = event.partial;
    const drive = this.#drive;
    if (drive.live !== undefined) drive.live.partial = event.partial;
    if (event.type === "start") {
      return drive.emit({ type: "message_start", message: withCountableUsage(event.partial) });
    }
    const { partial: _growing, ...update } = event;
    return drive.emit({ type: "message_update", event: update as StreamUpdate });
  }
}

function request(send: Send, signal: AbortSignal): AsyncIterable<AssistantMessageEvent> {
  try {
    return send(signal);
  } catch (error) {
    throw new ProviderProtocolError("the request threw", "the request", error);
  }
}
