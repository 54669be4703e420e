/**
 * Deliberate faults in `src/` that no session with one lane can show: something of one lane reaches the other. The list was
 * written before the first run.
 */
import type { Fault } from "../mutants/fault.ts";

export const laneFaults: readonly Fault[] = [
  {
    id: "lanes-cancel-pulls-all",
    title: "a cancel pulls the signals of all lanes",
    edits: [
      {
        file: "harness/calls/cancel.ts",
        find: "      runtime.drive?.pull();\n",
        replace: "      runtime.scope.pullAll();\n",
      },
      {
        file: "harness/state/scope.ts",
        find: "  readonly ended: AbortSignal;\n",
        replace: "  readonly ended: AbortSignal;\n  readonly pullAll: () => void;\n",
      },
      {
        file: "harness/harness.ts",
        find: "ended: this.#ending.signal };",
        replace:
          "ended: this.#ending.signal, pullAll: () => { for (const { drive } of this.#runtimes.values()) drive?.pull(); } };",
      },
    ],
    breaks: ["F1"],
  },
  {
    id: "lanes-cancel-withholds-all",
    title: "a cancel that is not replied withholds the hooks and requests of all lanes",
    edits: [
      {
        file: "harness/state/runtime.ts",
        find: "  pendingCancels = 0;\n",
        replace:
          "  get pendingCancels() { return cancels.get(this.scope) ?? 0; }\n  set pendingCancels(count) { cancels.set(this.scope, count); }\n",
      },
      {
        file: "harness/state/runtime.ts",
        find: "/** What this process knows of one lane",
        replace: "const cancels = new WeakMap<HarnessScope, number>();\n\n/** What this process knows of one lane",
      },
    ],
    breaks: ["C5", "C7", "F1"],
  },
  {
    id: "lanes-finalization-drops-all-frames",
    title: "a finalization deletes the frame lists of all lanes",
    edits: [
      {
        file: "session/session.ts",
        find: "  return {\n    writes,\n    next,\n",
        replace:
          '  const others = ["a", "b"].filter((name) => name !== lane).flatMap((name) => core.view(name)?.operation ?? []);\n  const lists = others.flatMap(({ meta, state }) => "responseEntryId" in state ? [{ kind: "list", op: "delete", namespace: "pi.pending.assistant_frame", key: meta.operationId + ":" + state.responseEntryId } as const] : []);\n  return {\n    writes: [...writes, ...lists],\n    next,\n',
      },
    ],
    breaks: ["C4"],
  },
  {
    id: "lanes-finalization-ends-all-drives",
    title: "a finalization ends the drives of all lanes",
    edits: [
      {
        file: "harness/harness.ts",
        find: '    drive?.finish({ kind: "settled", result });\n',
        replace: '    for (const { drive } of this.#runtimes.values()) drive?.finish({ kind: "settled", result });\n',
      },
    ],
    breaks: ["C7", "K3", "O2", "O3"],
  },
  {
    id: "lanes-frame-under-newest-response",
    title: "a frame goes to the list of the newest response of the harness",
    edits: [
      {
        file: "harness/drive/observation.ts",
        find: "        const frames = pendingAssistantFrames(drive.operationId, responseEntryId);\n",
        replace: "        newest ??= pendingAssistantFrames(drive.operationId, responseEntryId);\n",
      },
      {
        file: "harness/drive/observation.ts",
        find: "[appendList(frames, frame)]",
        replace: "[appendList(newest, frame)]",
      },
      {
        file: "harness/drive/observation.ts",
        find: "function request(",
        replace: "let newest: ReturnType<typeof pendingAssistantFrames>;\n\nfunction request(",
      },
    ],
    breaks: ["C4", "C7", "N2"],
  },
  {
    id: "lanes-fault-stops-one",
    title: "a failed commit stops the drive of the first lane alone",
    edits: [
      {
        file: "harness/harness.ts",
        find: "    for (const { drive } of this.#runtimes.values()) drive?.stop();\n",
        replace: "    const [first] = this.#runtimes.values();\n    first?.drive?.stop();\n",
      },
    ],
    breaks: ["K2"],
  },
  {
    id: "lanes-lines-of-their-own",
    title: "each lane has a line of its own",
    edits: [
      {
        file: "session/core.ts",
        find: "  /** Whether the session takes no more work",
        replace:
          "  readonly #lines = new Map<string, Line>();\n\n  #lineOf(lane: string): Line {\n    const line = this.#lines.get(lane) ?? new Line(this.storage, (cause) => this.fail(cause));\n    this.#lines.set(lane, line);\n    return line;\n  }\n\n  /** Whether the session takes no more work",
      },
      {
        file: "session/core.ts",
        find: "    return this.#line.alone(async (turn) => work(",
        replace: "    return this.#lineOf(lane).alone(async (turn) => work(",
      },
      {
        file: "session/core.ts",
        find: "    return this.#line.alone(async (turn) => {\n",
        replace: "    return this.#lineOf(lane).alone(async (turn) => {\n",
      },
      {
        file: "session/core.ts",
        find: "  append(plan: () => Write[] | undefined): Promise<AppendOutcome> {\n    return this.#line.append(plan);\n",
        replace:
          "  append(plan: () => Write[] | undefined, lane: string): Promise<AppendOutcome> {\n    return this.#lineOf(lane).append(plan);\n",
      },
      {
        file: "session/core.ts",
        find: "    this.#line.seal(fault);\n",
        replace: "    this.#line.seal(fault);\n    for (const line of this.#lines.values()) line.seal(fault);\n",
      },
      {
        file: "harness/drive/observation.ts",
        find: "[appendList(frames, frame)] : undefined,\n",
        replace: "[appendList(frames, frame)] : undefined,\n          drive.lane.name,\n",
      },
    ],
    breaks: ["C7"],
  },
];
