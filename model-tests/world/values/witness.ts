/** Judges what a harness tells and what it asks for against the script and the durable rows, as it does so. */
import type { AssistantMessage, Message, Model } from "@earendil-works/pi-ai";
import type { Write } from "../../../src/index.ts";
import type { Answer, ObservedEvent, ToolCallRequest } from "../../adapters/adapter.ts";
import { operationScalars } from "../durable.ts";
import type { Interpreter } from "../interpreter.ts";
import { type RequestScript, scriptModel } from "../script.ts";
import { contextExpected, toolCallExpected } from "./asked.ts";
import { cite, type Expectation, exactly, judge, oneOf, rule, type WrongAt } from "./expectation.ts";
import { announcedExpected, endedWith, isStored, type LiveStream, recovered, resultExpected } from "./told.ts";
import type { Transaction } from "./transaction.ts";

/** What the judgement is made from. */
export interface Scene {
  readonly durable: Interpreter;
  readonly wrong: WrongAt[];
}

const isOperation = (durable: Interpreter, id: string): boolean =>
  durable.value("pi.op.meta", id) !== undefined || durable.value("pi.result", id) !== undefined;

/** Looks at the values of one process. */
export class Witness {
  readonly #scene: () => Scene;
  /** The last message of a recovery that was stored and not announced. */
  #stored: AssistantMessage | undefined;
  readonly #early: { readonly place: string; readonly message: AssistantMessage }[] = [];

  constructor(scene: () => Scene) {
    this.#scene = scene;
  }

  /** An event says what was streamed, or what is durable (J1, J3). */
  told(event: ObservedEvent, live: LiveStream | undefined, atStore: readonly (readonly Write[])[]): void {
    const { told } = event;
    if (told === undefined) return;
    const { durable } = this.#scene();
    this.#named(event, operationScalars(durable)?.responseEntryId);
    const expected = announcedExpected(event, live, durable);
    if (expected !== undefined) this.#judge(event.name, expected, told);
    else if (event.recovery && told.message !== undefined && !isStored(event, durable, atStore)) {
      this.#recovering({ place: event.name, message: told.message });
    }
    if (event.name === "entry_added") this.#stored = undefined;
  }

  /** The end of a live response names the entry that it will be, where it names one (J1). */
  #named({ name, recovery, entryId }: ObservedEvent, pending: string | undefined): void {
    if (name !== "message_end" || recovery || entryId === undefined || pending === undefined) return;
    this.#judge(name, { entryId: pending }, { entryId });
  }

  /** A recovery that has been stored and not announced is the one that is told of; otherwise it is stored later. */
  #recovering({ place, message }: { readonly place: string; readonly message: AssistantMessage }): void {
    if (this.#stored === undefined) this.#early.push({ place, message });
    else this.#judge(place, { message: cite("I4", recovered(this.#stored)) }, { message });
  }

  /** What a recovery has told before it stored it is what it stores (I4). */
  landed({ name, response }: Transaction): void {
    if (name !== "recover" || response === undefined) return;
    for (const { place, message } of this.#early.splice(0)) {
      this.#judge(place, { message: cite("I4", recovered(response.message)) }, { message });
    }
    this.#stored = response.message;
  }

  /** The process is gone, with what it has told. */
  forget(): void {
    this.#early.length = 0;
    this.#stored = undefined;
  }

  /** What a call answers: the operation that was opened, the record of its end, the time that a retry waits for (O1, O2, O4). */
  answered(call: string, told: Omit<Answer, "outcome">): void {
    const { durable } = this.#scene();
    if (told.operationId !== undefined) {
      const known = rule("an operation of the session", (id) => isOperation(durable, String(id)));
      this.#judge(call, { operationId: cite("O1", known) }, { operationId: told.operationId });
    }
    if (told.result !== undefined) {
      const { operationId } = told.result as { operationId?: string };
      const result = cite("O2", resultExpected(durable.value("pi.result", operationId ?? "")));
      this.#judge(call, { result }, { result: told.result });
    }
    if (told.notBefore !== undefined) {
      const notBefore = cite("O4", exactly(operationScalars(durable)?.notBefore));
      this.#judge(call, { notBefore }, { notBefore: told.notBefore });
    }
  }

  /** A request has the transcript as it is meant for a provider, and the model of the lane (E8, O1). */
  requested(model: Model<string>, messages: readonly Message[], signal: AbortSignal | undefined): void {
    const expected = {
      model: cite("A2", exactly({ provider: scriptModel.provider, id: scriptModel.id })),
      messages: cite("E8", contextExpected(this.#scene().durable)),
      signal: cite("F1", oneOf("open", "none")),
    };
    this.#judge("request", expected, {
      model: { provider: model.provider, id: model.id },
      messages: JSON.parse(JSON.stringify(messages)),
      signal: signal === undefined ? "none" : signal.aborted ? "pulled" : "open",
    });
  }

  /** The hook gets what the provider has ended with (C5, D3). */
  hooked(message: AssistantMessage, script: RequestScript | undefined): void {
    const expected = script === undefined ? rule("no call without a response", () => false) : endedWith(script);
    this.#judge("after_response", cite("D3", expected), message);
  }

  /** A tool is run with what the response says (D5, Q1). */
  ran(call: ToolCallRequest): void {
    this.#judge("tool call", cite("D5", toolCallExpected(this.#scene().durable, call)), { ...call });
  }

  #judge(place: string, expected: Expectation, actual: unknown): void {
    const found = judge(expected, actual, { requirement: "J1", path: "" });
    if (found !== undefined) this.#scene().wrong.push({ ...found, place });
  }
}
