/** `--watch` starts a new run when a source or the adapter changes, and not when a report is written. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { brokenAdapter, temporaryFolder } from "../testing/cli.ts";
import { watchedBy, watchSources } from "./watch.ts";

test("a burst of changes to sources is one change, and reports are none", async () => {
  const folder = temporaryFolder();
  const onChange = vi.fn();
  const stop = watchSources([{ folder, recursive: false }], onChange);
  try {
    writeFileSync(join(folder, "report.json"), "{}");
    for (const text of ["a", "b", "c"]) writeFileSync(join(folder, "adapter.ts"), text);
    await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), 5_000);
    expect(onChange).toHaveBeenCalledTimes(1);
  } finally {
    stop();
  }
});

test("the sources are watched, and the adapter's own folder", () => {
  const adapter = brokenAdapter("");
  expect(watchedBy("reference").every(({ recursive }) => recursive)).toBe(true);
  expect(watchedBy(adapter).at(-1)).toMatchObject({ recursive: false });
});
