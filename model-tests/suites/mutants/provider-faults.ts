/** Deliberate faults in what becomes of a provider that misbehaves (Q6). */
import type { Fault } from "./fault.ts";

export const providerFaults: readonly Fault[] = [
  {
    id: "defect-faults-the-harness",
    title: "a protocol defect faults the harness, although it says that it costs its response",
    edits: [
      {
        file: "harness/drive/observation.ts",
        find: "      if (!(error instanceof ProviderProtocolError) || this.#drive.over) throw error;\n      leaving.abort();\n",
        replace: "      throw error;\n",
      },
    ],
    breaks: ["J1", "C7", "K2"],
  },
  {
    id: "broken-stream-not-retried",
    title: "a broken stream is retried only if its error reads like one that may be",
    edits: [
      {
        file: "harness/drive/observation.ts",
        find: "message: this.#broken(error), interrupted: true",
        replace: "message: this.#broken(error), interrupted: false",
      },
    ],
    breaks: ["D5"],
  },
  {
    id: "broken-stream-loses-partial",
    title: "the error response of a broken stream has lost what had been streamed",
    edits: [
      {
        file: "harness/drive/observation.ts",
        find: "const said = { partial: this.#partial, ",
        replace: "const said = { partial: undefined, ",
      },
    ],
    breaks: ["D3"],
  },
];
