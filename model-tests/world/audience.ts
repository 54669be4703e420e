/**
 * Who listens to a process beside the application's own listener: watchers, which stay for its life (I5), and listeners
 * that throw or change whatever they are given (J4).
 */
import type { AnnouncedFact, WatcherFact } from "../../machines/index.ts";
import type { Incarnation, ObservedEvent, ObservedSnapshot, RogueListeners } from "../adapters/adapter.ts";
import { changeWhole, inspect } from "./change-whole.ts";

/** What the audience got and did since the record was taken. */
export interface AudienceRecord {
  readonly watched: WatcherFact[];
  throws: number;
  reports: number;
  readonly altered: string[];
}

export const emptyAudienceRecord = (): AudienceRecord => ({ watched: [], throws: 0, reports: 0, altered: [] });

/** The world, as far as an audience touches it. */
export interface AudienceHost {
  audienceRecord: AudienceRecord;
  /** Grows whenever the harness touches the world. */
  activity: number;
}

const misbehaviour = new Error("a listener that throws");

export class Audience {
  readonly #host: AudienceHost;
  /** What was given. Listeners may share one object. */
  readonly #given = new Map<object, Given>();
  #watchers = 0;
  #tellings = 0;
  /** How many who asked for a watcher have no answer. */
  asking = 0;
  #nextLatecomer = 2;
  #heard = 0;
  readonly #calls = { throws: 0, reports: 0 };
  #gone = false;

  constructor(host: AudienceHost) {
    this.#host = host;
  }

  /** The process is gone: what it still tells is its leak, not its audience's affair. Says what has changed since. */
  leave(): void {
    if (this.#gone) return;
    this.#gone = true;
    for (const [given, then] of this.#given) {
      if (!then.frozen && textOf(given) !== then.text) this.#alter(given, "changed after a listener got it");
    }
    this.#given.clear();
  }

  readonly rogues: RogueListeners = {
    // At each third event: every throw is an event of its own, which all listeners hear.
    throwing: () => (this.#heard++ % 3 === 0 ? this.#throw("throws") : undefined),
    mutating: (event) => {
      if (!this.#gone) changeWhole(event);
    },
    reported: () => this.#throw("reports"),
  };

  /** An event as it is at this moment. */
  announced({ given, ...event }: ObservedEvent): AnnouncedFact {
    if (given === undefined) return event;
    const kept = this.#keep(given);
    return {
      ...event,
      get content() {
        return kept.text;
      },
    };
  }

  /** Asks for a watcher that stays, whose snapshot must not change either. */
  async watch(harness: Incarnation): Promise<ObservedSnapshot> {
    const snapshot = await this.#watch(harness, false);
    this.#keep(snapshot.transcript);
    if (snapshot.streamingMessage !== undefined) this.#keep(snapshot.streamingMessage);
    return snapshot;
  }

  /**
   * Somebody asks for a watcher in the instant before something is done that lets the harness tell something: at the second,
   * ninth, thirty-seventh time in the life of the process, so that watchers stay few. The first to come never returns. `expected`: one comes whatever the time.
   */
  admitLatecomer(harness: Incarnation, expected = false): void {
    const due = ++this.#tellings === this.#nextLatecomer;
    if (due) this.#nextLatecomer = 4 * this.#nextLatecomer + 1;
    if (due || expected) this.#watchUnheeded(harness, due && this.#tellings === 2);
  }

  /** Watches, and changes the snapshot that it gets. Whether a process may refuse is checked of `watch`. */
  #watchUnheeded(harness: Incarnation, slow: boolean): void {
    this.#watch(harness, slow).then(changeWhole, () => {});
  }

  /** `slow`: its callback never returns. */
  async #watch(harness: Incarnation, slow: boolean): Promise<ObservedSnapshot> {
    const watcher = ++this.#watchers;
    this.#note({ kind: "asked", watcher, slow });
    this.asking++;
    const asked = harness.watch((event) => {
      this.#note({ kind: "told", watcher, event: this.announced(event) });
      return slow ? new Promise(() => {}) : undefined;
    });
    const snapshot = await asked.finally(() => this.asking--);
    const { transcript, operationId } = snapshot;
    this.#note({ kind: "subscribed", watcher, transcriptIds: transcript.map(({ id }) => id), operationId });
    return snapshot;
  }

  #note(fact: WatcherFact): void {
    if (this.#gone) return;
    this.#host.activity++;
    this.#host.audienceRecord.watched.push(fact);
  }

  #keep(given: object): Given {
    const known = this.#given.get(given);
    if (known !== undefined) return known;
    const { frozen, changed } = inspect(given);
    if (changed) this.#alter(given, "had been changed by a listener before another one got it");
    const kept = new Given(given, frozen);
    if (!this.#gone) this.#given.set(given, kept);
    return kept;
  }

  #alter(given: object, how: string): void {
    this.#host.audienceRecord.altered.push(`${nameOf(given)} ${how}`);
  }

  /** Throws the first time, rejects the second, and so on. */
  #throw(counter: "throws" | "reports"): Promise<void> {
    if (this.#gone) return Promise.resolve();
    this.#host.activity++;
    this.#host.audienceRecord[counter]++;
    const odd = ++this.#calls[counter] % 2 === 1;
    if (odd) throw misbehaviour;
    return Promise.reject(misbehaviour);
  }
}

/** Something that a listener was given, and what it said then. */
class Given {
  /** Nobody can change it: it says the same for ever. */
  readonly frozen: boolean;
  readonly #given: object;
  #text: string | undefined;

  constructor(given: object, frozen: boolean) {
    this.frozen = frozen;
    this.#given = given;
    if (!frozen) this.#text = textOf(given);
  }

  get text(): string {
    this.#text ??= textOf(this.#given);
    return this.#text;
  }
}

const textOf = (given: object): string => JSON.stringify(given);

/** An event by its type; what else is given is a part of a snapshot. */
const nameOf = (given: object): string => ("type" in given ? String(given.type) : "snapshot");
