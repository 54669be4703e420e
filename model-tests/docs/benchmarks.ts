/** The page of the measured figures, from the report of a benchmark that is kept as data. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchReport } from "../bench/bench-report.ts";
import { figuresText } from "../bench/bench-text.ts";
import { duration } from "../draw/layout.ts";
import { packageRoot } from "../package-root.ts";
import { type Page, page } from "./page.ts";

/** Written by `durability bench store --out docs/measured`. */
const reportPath = "docs/measured/bench-store.json";

export function benchmarksPage(): Page {
  const report = JSON.parse(readFileSync(join(packageRoot(), reportPath), "utf8")) as BenchReport;
  const { package: own, peer, node, machine, runs, warmUpMs, durationMs } = report;
  const beside = peer === null ? "" : ` beside ${peer.name} ${peer.version}`;
  return page(
    "generated/benchmarks.md",
    "Benchmarks: the figures",
    `${own.name} ${own.version}${beside}: the median of ${runs} runs, with the least and the greatest, after ${duration(warmUpMs)} to warm up; ${duration(durationMs)} in all. On ${machine.cores} cores, Node ${node}, with a load of ${machine.load.toFixed(1)} at the beginning. [Benchmarks](../benchmarks.md) says what each figure is.`,
    `\`\`\`text\n${figuresText(report, { colour: false, width: 100 })}\n\`\`\``,
  );
}
