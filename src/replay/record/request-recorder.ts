/** Writes down one provider request. */
import type { AssistantMessageEvent } from "@earendil-works/pi-ai";
import type { RecordedEnd, RecordedEvent, RecordedRequest } from "../fixture/fixture.ts";
import { isTerminal, StreamObserver } from "../fixture/observe.ts";
import { eventRows, type Row, requestRow } from "../fixture/rows.ts";
import { foundBursts, isDelta, isSameBlock } from "../fixture/runs.ts";
import { ToldBlocks } from "../fixture/told.ts";

/** A longer run is written in pieces, so that a kill costs little. */
const longestRun = 512;

type Delta = Parameters<typeof foundBursts>[0][number];

/** Follows one request and hands out its rows. A run of deltas is held back until it ends or `flush` is called. */
export class RequestRecorder {
  readonly #number: number;
  readonly #write: (row: Row) => void;
  readonly #observer = new StreamObserver();
  readonly #told = new ToldBlocks();
  #run: Delta[] = [];
  #jsonBefore = "";
  /** The time of the last event that was written. */
  #written = 0;
  #last: RecordedEvent | undefined;
  #ended = false;

  constructor(number: number, request: Omit<RecordedRequest, "events">, write: (row: Row) => void) {
    this.#number = number;
    this.#write = write;
    write(requestRow(number, { ...request, events: [] }));
  }

  /** Whether deltas are held back. */
  get holds(): boolean {
    return this.#run.length > 0;
  }

  /** The provider gave an event, so many milliseconds after the request. */
  event(at: number, event: AssistantMessageEvent): void {
    if (this.#ended) return;
    const json = event.type === "toolcall_delta" ? this.#jsonOf(event.contentIndex) : "";
    try {
      this.#add(this.#observer.observe(at, event), json);
    } catch (error) {
      this.end({ at, kind: "defect", what: error instanceof Error ? error.message : String(error), event });
    }
  }

  /** The caller pulled its signal. */
  aborted(at: number): void {
    if (this.#ended) return;
    this.flush();
    this.#write({ q: this.#number, abort: at });
  }

  /** The stream ended by itself, so many milliseconds after the request. */
  ended(at: number): void {
    const complete = this.#last !== undefined && isTerminal(this.#last.event);
    this.end({ at, kind: complete ? "complete" : "unterminated" });
  }

  /** Nothing that comes afterwards is recorded. */
  end(end: RecordedEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.flush();
    this.#write({ q: this.#number, end });
  }

  /** Writes what is held back. */
  flush(): void {
    const run = this.#run;
    this.#run = [];
    if (run.length > 0) this.#writeEvents(foundBursts(run, this.#jsonBefore));
  }

  #add(recorded: RecordedEvent, json: string): void {
    this.#last = recorded;
    if (!isDelta(recorded)) {
      this.flush();
      this.#writeEvents([recorded]);
      return;
    }
    const [first] = this.#run;
    const joins = first !== undefined && isSameBlock(first.event, recorded.event) && this.#run.length < longestRun;
    if (!joins) {
      this.flush();
      this.#jsonBefore = json;
    }
    this.#run.push(recorded);
  }

  #writeEvents(events: readonly RecordedEvent[]): void {
    for (const row of eventRows(this.#number, this.#written, events, this.#told)) this.#write(row);
    this.#written = events.at(-1)?.at ?? this.#written;
  }

  /** A delta of a block that was never started is a defect, which the observer will find. */
  #jsonOf(contentIndex: number): string {
    try {
      return this.#observer.jsonOf(contentIndex);
    } catch {
      return "";
    }
  }
}
