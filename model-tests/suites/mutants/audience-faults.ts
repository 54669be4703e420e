/** Deliberate faults in how listeners and watchers are told (I5, J4). */
import type { Fault } from "./fault.ts";

export const audienceFaults: readonly Fault[] = [
  {
    id: "watcher-subscribes-late",
    title: "a watcher loses what is emitted between its snapshot and its subscription",
    edits: [
      {
        file: "harness/calls/watch.ts",
        find: "    const snapshot = await captureSnapshot(runtime, () => {\n      subscriber = hub.watch(pass);\n    });\n",
        replace:
          "    const snapshot = await captureSnapshot(runtime, () => {});\n    const late = hub.watch(pass);\n    subscriber = late;\n",
      },
    ],
    breaks: ["I5"],
  },
  {
    id: "watcher-told-twice",
    title: "a watcher that starts is told again what was held for it",
    edits: [
      {
        file: "harness/listening/subscriber.ts",
        find: "    for (const event of held) void this.deliver(event);\n",
        replace: "    for (const event of [...held, ...held]) void this.deliver(event);\n",
      },
    ],
    breaks: ["I5"],
  },
  {
    id: "watcher-awaited",
    title: "the provider loop waits for watchers",
    edits: [
      {
        file: "harness/listening/subscriber.ts",
        find: "    if (!this.#awaited) {\n",
        replace: "    if (!this.#awaited && this.#held !== undefined) {\n",
      },
    ],
    breaks: ["N13", "C2"],
  },
  {
    id: "throw-stops-delivery",
    title: "a listener that throws stops the delivery to the next",
    edits: [
      {
        file: "harness/listening/subscriber.ts",
        find: "      this.#onThrow(error, event);\n",
        replace: "      this.#onThrow(error, event);\n      throw error;\n",
      },
      {
        file: "harness/listening/hub.ts",
        find: "    else await Promise.all([first, ...others].map((subscriber) => subscriber.deliver(given)));\n",
        replace:
          "    else {\n      try {\n        for (const subscriber of [first, ...others]) await subscriber.deliver(given);\n      } catch {}\n    }\n",
      },
    ],
    breaks: ["J4", "J1", "K2"],
  },
  {
    id: "throw-unreported",
    title: "what a listener throws is swallowed",
    edits: [
      {
        file: "harness/listening/hub.ts",
        find: '    void this.emit({ type: "listener_error", kind: "listener", error, during: event.type });\n',
        replace: "    void error;\n",
      },
    ],
    breaks: ["J4"],
  },
  {
    id: "listener-gets-live-message",
    title: "a listener is given the message that the harness goes on with",
    edits: [
      {
        file: "harness/listening/hub.ts",
        find: '  if (event.type !== "fault") return frozenCopy(event);\n',
        replace:
          '  if (event.type.startsWith("message_")) return event;\n  if (event.type !== "fault") return frozenCopy(event);\n',
      },
    ],
    breaks: ["J4", "J1", "D3", "E3", "I1"],
  },
  {
    id: "listeners-share-a-copy",
    title: "all listeners are given one copy that each of them can change",
    edits: [
      {
        file: "harness/listening/hub.ts",
        find: '  if (event.type !== "fault") return frozenCopy(event);\n',
        replace: '  void frozenCopy;\n  if (event.type !== "fault") return structuredClone(event);\n',
      },
    ],
    breaks: ["J4", "J1"],
  },
  {
    id: "fault-shared-with-callers",
    title: "a listener is given the very fault that callers are rejected with",
    edits: [
      {
        file: "harness/listening/hub.ts",
        find: "  return Object.freeze({ ...event, error: Object.freeze(new HarnessFault(event.error.cause)) });\n",
        replace: "  void HarnessFault;\n  return Object.freeze({ ...event });\n",
      },
    ],
    breaks: ["K2", "J4"],
  },
];
