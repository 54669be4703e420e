/** A file store is opened anew after each crash of a schedule; a store that forgets is caught there. */
import { describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { type FileStorage, MemoryStorage } from "../../src/index.ts";
import { referenceAdapter } from "../adapters/reference.ts";
import { type RunResult, run } from "../drive/run.ts";
import { explore } from "../explore/graph.ts";
import { edgesOf } from "../verify/labels.ts";
import { loadSubject } from "../verify/subject.ts";
import { reopeningStore } from "./reopening-store.ts";

const graph = explore(boundsByName.small);
const schedule = ["accept", "land", "reply", "crash", "reopen"];

class Handle extends MemoryStorage implements FileStorage {
  async kill(): Promise<void> {
    await this.close();
  }
}

/** Drives the schedule on a store whose every process is given what `open` answers. */
const driveOn = (open: () => Promise<FileStorage>): Promise<RunResult> =>
  run(
    { adapter: referenceAdapter, newStore: () => reopeningStore("/nonexistent/session", open) },
    graph,
    edgesOf(graph, schedule),
  );

describe("a store of which each process has a handle of its own", () => {
  test.each(["jsonl", "sqlite"] as const)("[R5] %s gives the next process what has landed", async (store) => {
    const subject = await loadSubject({ sut: "reference", store });
    try {
      const { end } = await run(subject, graph, edgesOf(graph, schedule));
      expect(end.kind).toBe("completed");
    } finally {
      subject.dispose();
    }
  });

  test("[R5] one that keeps nothing is caught at the reopen, before the harness is asked", async () => {
    const { steps, end } = await driveOn(async () => new Handle({ now: () => 0 }));
    expect(steps).toHaveLength(schedule.length - 1);
    expect(end).toMatchObject({
      kind: "diverged",
      edge: { action: "reopen" },
      mismatch: { field: "anomaly", requirement: "A8" },
    });
  });

  test("[E1] one that cannot be opened again is a finding, and no error of the checker", async () => {
    let openings = 0;
    const { end } = await driveOn(async () => {
      if (++openings > 1) throw new Error("the disk is gone");
      return new Handle({ now: () => 0 });
    });
    expect(end).toMatchObject({ kind: "diverged", mismatch: { actual: expect.stringContaining("the disk is gone") } });
  });
});
