/**
 * Deliberate faults in `src/`, each a realistic slip in lifecycle code, and the requirements of which one must be named
 * when the checker catches it. The list was written before the first run.
 */

import { audienceFaults } from "./audience-faults.ts";
import type { Fault } from "./fault.ts";
import { providerFaults } from "./provider-faults.ts";
import { stopFaults } from "./stop-faults.ts";
import { toolFaults } from "./tool-faults.ts";

export const faults: readonly Fault[] = [
  {
    id: "settle-without-waiting",
    title: "settlement does not await the latest frame write",
    edits: [{ file: "harness/drive/observe.ts", find: "  await observation.latestFrameWrite;\n", replace: "" }],
    breaks: ["C5", "N6", "C7", "J1"],
  },
  {
    id: "list-outlives-settlement",
    title: "settlement keeps the frame list",
    edits: [
      {
        file: "harness/settlement/plan-settlement.ts",
        find: "      deleteList(pendingAssistantFrames(operationId, entry.id)),\n",
        replace: "",
      },
    ],
    breaks: ["N8", "D1"],
  },
  {
    id: "append-without-owner",
    title: "an append does not check that its response still owns the lane",
    edits: [
      {
        file: "harness/drive/observation.ts",
        find: "ownsResponse(drive, responseEntryId) ? [appendList(frames, frame)] : undefined",
        replace: "[appendList(frames, frame)]",
      },
    ],
    breaks: ["C4", "N12", "C7"],
  },
  {
    id: "hook-on-recovery",
    title: "after_response runs for a recovered response",
    edits: [
      {
        file: "harness/drive/recovery.ts",
        find: "    const settlement = planSettlement(view, operation, state, { message, interrupted: true }",
        replace:
          "    await afterResponse(drive, state.responseEntryId, message);\n    const settlement = planSettlement(view, operation, state, { message, interrupted: true }",
      },
      {
        file: "harness/drive/recovery.ts",
        find: 'import { zeroUsage } from "../../storage/contract/usage-totals.ts";',
        replace:
          'import { zeroUsage } from "../../storage/contract/usage-totals.ts";\nimport { afterResponse } from "./after-response.ts";',
      },
    ],
    breaks: ["D3", "E6", "C5", "C7"],
  },
  {
    id: "emit-before-enqueue",
    title: "the event is delivered before the frame is queued",
    edits: [
      {
        file: "harness/reading/stream.ts",
        find: '      if (frame !== undefined) sink.append(frame);\n      calls.note(event);\n      const told = await wait(\n        tell(sink, event, index).then(() => true),\n        "listener",\n      );\n',
        replace:
          '      calls.note(event);\n      const told = await wait(\n        tell(sink, event, index).then(() => true),\n        "listener",\n      );\n      if (frame !== undefined) sink.append(frame);\n',
      },
    ],
    breaks: ["C1", "C7"],
  },
  {
    id: "line-not-fifo",
    title: "what may start overtakes what waits on the line",
    edits: [
      {
        file: "session/line.ts",
        find: "if (this.#queue.peek() === undefined && this.#mayStart(job)) this.#start(job);",
        replace: "if (this.#mayStart(job)) this.#start(job);",
      },
    ],
    breaks: ["C5", "C7", "N5", "C4", "N12", "N1"],
  },
  {
    id: "finalized-drive-settles",
    title: "a drive settles a response of an operation that was finalized",
    edits: [
      {
        file: "harness/drive/drive.ts",
        find: "if (view === undefined || this.#over || operation?.meta.operationId !== this.operationId) throw new DriveOver();\n      return plan(view, operation, turn);",
        replace:
          "const known = operation ?? this.#known;\n      if (view === undefined || known === undefined) throw new DriveOver();\n      this.#known = known;\n      return plan(view, known, turn);",
      },
      {
        file: "harness/drive/drive.ts",
        find: "  #over = false;\n",
        replace: "  #over = false;\n  #known: Operation | undefined;\n",
      },
    ],
    breaks: ["K3", "C7", "N12", "D1"],
  },
  {
    id: "signal-before-landing",
    title: "the signal is pulled by the call of cancel, not by its reply",
    edits: [
      {
        file: "harness/calls/cancel.ts",
        find: "  runtime.pendingCancels++;\n",
        replace: "  runtime.pendingCancels++;\n  runtime.drive?.pull();\n",
      },
    ],
    breaks: ["F1", "C7"],
  },
  {
    id: "retry-before-synthetic",
    title: "the next attempt begins before the interrupted response is settled",
    edits: [
      {
        file: "harness/drive/steps.ts",
        find: '    case "assistant.effect_pending":\n      return recover(drive);',
        replace: '    case "assistant.effect_pending":\n      return generate(drive);',
      },
      {
        file: "harness/drive/generation.ts",
        find: '  if (state.at !== "assistant.ready" && state.at !== "assistant.retry_wait") {',
        replace:
          '  if (state.at === "assistant.effect_pending") Object.assign(state, { nextAttempt: state.attempt + 1 });\n  else if (state.at !== "assistant.ready" && state.at !== "assistant.retry_wait") {',
      },
    ],
    breaks: ["E5", "C7", "N1"],
  },
  {
    id: "hang-after-hook",
    title: "the drive never continues after its hook has returned",
    edits: [
      {
        file: "harness/drive/after-response.ts",
        find: "    const value = await wait.for(Promise.resolve(hook(input)));\n",
        replace: "    const value = await wait.for(Promise.resolve(hook(input)));\n    await new Promise(() => {});\n",
      },
    ],
    breaks: ["N13", "J1", "C7"],
  },
  {
    id: "announced-before-reply",
    title: "a response is announced before the reply of its settlement",
    edits: [
      {
        file: "harness/drive/commit-settlement.ts",
        find: "  return { writes, next, replied: (commit) => tellSettled(drive, settlement, commit, recovered) };",
        replace:
          '  const { row, decision } = settlement;\n  const entry = { ...settlement.entry, seq: 0, timestamp: 0 } as Entry;\n  void drive.emit({ type: "entry_added", entry });\n  void row;\n  void decision;\n  return { writes, next, replied: (commit) => tellSettled(drive, settlement, commit, recovered) };',
      },
      {
        file: "harness/drive/commit-settlement.ts",
        find: '  void drive.emit({ type: "entry_added", entry: added, ...tag });\n',
        replace: "  void added;\n",
      },
    ],
    breaks: ["C7", "J1", "J3", "I4"],
  },
  {
    id: "hole-after-failed-append",
    title: "a failed append is passed over and the next one goes on",
    edits: [
      {
        file: "session/line.ts",
        find: '    this.#handOver(\n      writes,\n      () => resolve("landed"),\n      reject,\n      () => {\n        this.#appends--;\n        this.#pump();\n      },\n    );\n',
        replace:
          '    void reject;\n    this.#handedOver++;\n    const goOn = () => {\n      resolve("landed");\n      this.#appends--;\n      this.#ended(() => this.#pump());\n    };\n    this.#storage.commit(writes).then(goOn, goOn);\n',
      },
    ],
    breaks: ["C6", "C5", "K2", "J1", "A13"],
  },
  {
    id: "recovery-reads-one-page",
    title: "recovery reads the first page of the frame list only",
    edits: [
      {
        file: "harness/drive/recovery.ts",
        find: "readPartial(turn.read, drive.operationId, state.responseEntryId)",
        replace: "readPartial(turn.read, drive.operationId, state.responseEntryId, 1)",
      },
    ],
    breaks: ["E2", "E3"],
  },
  {
    id: "wrong-id-in-recovery",
    title: "recovery settles under a fresh response id",
    edits: [
      {
        file: "harness/settlement/plan-settlement.ts",
        find: "  const entry: NewEntry = { id: state.responseEntryId,",
        replace: "  const entry: NewEntry = { id: response.interrupted ? world.nextId() : state.responseEntryId,",
      },
    ],
    breaks: ["E5", "N8", "D1"],
  },
  {
    id: "snapshot-prefers-durable",
    title: "a snapshot of a live stream shows the committed frames",
    edits: [
      {
        file: "harness/calls/snapshot.ts",
        find: "    return assemble(runtime, requireView(runtime.view), { message, damage: undefined }, (query) => core.read(query));",
        replace:
          "    void message;\n    return assemble(runtime, requireView(runtime.view), undefined, (query) => core.read(query));",
      },
    ],
    breaks: ["I1"],
  },
  {
    id: "stale-append-faults",
    title: "an append that is refused faults the harness",
    edits: [
      {
        file: "session/line.ts",
        find: '      resolve("stale");\n',
        replace: '      reject(this.#failed(new InvariantError("a stale append")));\n',
      },
    ],
    breaks: ["C4", "J1", "K3"],
  },
  {
    id: "message-end-lost-in-cancel",
    title: "a stream that ends while a cancel is on its way announces no message_end",
    edits: [
      {
        file: "harness/drive/observe.ts",
        find: '  void drive.emit({ type: "message_end"',
        replace: '  if (drive.lane.pendingCancels === 0) void drive.emit({ type: "message_end"',
      },
    ],
    breaks: ["J1"],
  },
  {
    id: "usage-not-reported",
    title: "a live response settles with zero usage",
    edits: [
      {
        file: "harness/settlement/plan-settlement.ts",
        find: "  const { message } = decision;\n  const entry",
        replace: "  const message = { ...decision.message, usage: zeroUsage() };\n  const entry",
      },
      {
        file: "harness/settlement/plan-settlement.ts",
        find: 'import { classify, type Decision } from "./classify.ts";',
        replace:
          'import { zeroUsage } from "../../storage/contract/usage-totals.ts";\nimport { classify, type Decision } from "./classify.ts";',
      },
    ],
    breaks: ["F2"],
  },
  {
    id: "retry-without-delay",
    title: "a retry does not wait for the captured delay",
    edits: [
      {
        file: "harness/settlement/classify.ts",
        find: "const notBefore = now + retryDelayMs(retryPolicy, attempt);",
        replace: "const notBefore = now + retryDelayMs(retryPolicy, attempt) / 2;",
      },
    ],
    breaks: ["O4"],
  },
  {
    id: "loop-awaits-storage",
    title: "the provider loop waits for each frame write before it takes the next event",
    edits: [
      {
        file: "harness/drive/observation.ts",
        find: "      tell: (event) => this.#tell(event),",
        replace:
          "      tell: async (event) => {\n        await this.#tell(event);\n        await this.latestFrameWrite;\n      },",
      },
    ],
    breaks: ["C2"],
  },
  {
    id: "poll-without-permit",
    title: "an unknown poll is replaced without a permit",
    edits: [
      {
        file: "harness/drive/suspension.ts",
        find: "return recover(drive);\n  return drive.permit ? poll(drive) : suspended(drive, state);",
        replace: "return recover(drive);\n  return poll(drive);",
      },
    ],
    breaks: ["G2", "C7", "O2"],
  },
  {
    id: "unknown-poll-recovered",
    title: "an unknown poll is settled as an interrupted one instead of staying suspended",
    edits: [
      {
        file: "harness/drive/suspension.ts",
        find: "if (drive.lane.cancelRequested) return recover(drive);",
        replace: "if (drive.lane.cancelRequested || !drive.permit) return recover(drive);",
      },
    ],
    breaks: ["G2", "C7", "O2"],
  },
  {
    id: "replaced-list-kept",
    title: "the intent that replaces an unknown poll keeps the abandoned list",
    edits: [
      {
        file: "harness/drive/poll.ts",
        find: "  return [deleteList(pendingAssistantFrames(meta.operationId, state.responseEntryId))];",
        replace: "  void [deleteList, pendingAssistantFrames, meta];\n  return [];",
      },
    ],
    breaks: ["G3", "G2"],
  },
  {
    id: "replacement-counts-on",
    title: "a replaced poll gets the next number",
    edits: [
      {
        file: "harness/drive/poll.ts",
        find: 'poll: state.at === "deferred.suspended" ? state.poll + 1 : state.poll,',
        replace: "poll: state.poll + 1,",
      },
    ],
    breaks: ["G3"],
  },
  {
    id: "foreign-handle-accepted",
    title: "a deferred response with the handle of another model suspends the operation",
    edits: [
      {
        file: "harness/settlement/classify.ts",
        find: "if (validHandle(message, asked) !== undefined)",
        replace: "if (validHandle(message, asked) !== undefined || message.deferred !== undefined)",
      },
    ],
    breaks: ["D5"],
  },
  {
    id: "remote-cancel-awaited",
    title: "a cancelled poll settles only when the provider has answered the remote cancel",
    edits: [
      {
        file: "harness/drive/remote-cancel.ts",
        find: "if (handle !== undefined) void cancelRemotely(",
        replace: "if (handle !== undefined) await cancelRemotely(",
      },
    ],
    breaks: ["G4", "C7"],
  },
  {
    id: "remote-cancel-forgotten",
    title: "a cancelled unknown poll is settled without telling the provider",
    edits: [
      {
        file: "harness/drive/recovery.ts",
        find: 'if (state.at === "deferred.effect_pending") await startRemoteCancel(drive, state, turn);',
        replace: "void startRemoteCancel;",
      },
    ],
    breaks: ["G4"],
  },
  {
    id: "cut-off-plan-executed",
    title: "the tool calls of a response that was cut off are executed",
    edits: [
      {
        file: "harness/drive/tools.ts",
        find: 'if (stopReason === "length")',
        replace: 'if (stopReason === "length" && source.id === "")',
      },
    ],
    breaks: ["D5", "E6", "C7"],
  },
  {
    id: "sleeping-retry-not-woken",
    title: "a cancel does not wake a retry that sleeps until it is due",
    edits: [
      {
        file: "harness/drive/retry-wait.ts",
        find: "    await drive.untilPulled(sleep(drive.core, notBefore, drive.signal));\n",
        replace: "    void sleep;\n    await drive.core.clock.sleepUntil(notBefore, new AbortController().signal);\n",
      },
    ],
    breaks: ["F4", "C7"],
  },
  ...audienceFaults,
  ...providerFaults,
  ...toolFaults,
  ...stopFaults,
];
