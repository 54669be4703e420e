/** The benchmark of the stores, beside those of pi-agent-core in the same run. */
import { arch, cpus, loadavg, platform, totalmem } from "node:os";
import { type FileStoreName, fileStoreNamed, fileStoreNames } from "../../src/index.ts";
import { selfRemovingFolder } from "../stores/self-removing-folder.ts";
import { appendStores } from "./append-stores.ts";
import { framesPerTurn, measureAppends, measureDensity } from "./appends.ts";
import type { BenchReport } from "./bench-report.ts";
import { judge } from "./budgets.ts";
import { compared, type Measurement } from "./measurement.ts";
import { type BenchContext, type BenchOptions, findInstalled } from "./options.ts";
import { greatestPiRecovery, measureRecovery } from "./recovery.ts";
import { measureSettling, writeTimesMs } from "./settling.ts";

export async function benchStores(
  packageVersion: string,
  options: BenchOptions,
  progress: (what: string) => void,
): Promise<BenchReport> {
  const began = performance.now();
  const machine = thisMachine();
  const folder = selfRemovingFolder();
  try {
    const context = { ...options, installed: await findInstalled(), folder: folder.path, progress };
    const measurements = compared(await measureAll(context));
    const { pi } = context.installed;
    return {
      version: 1,
      benchmark: "store",
      package: { name: "assistant-durability", version: packageVersion },
      peer: pi === undefined ? null : { name: "pi-agent-core", version: pi.version },
      node: process.version,
      machine,
      runs: options.runs,
      warmUpMs: options.warmUpMs,
      sizes: { ...options.sizes, framesPerTurn, writeTimesMs },
      durationMs: performance.now() - began,
      measurements,
      budgets: judge(measurements, options.sizes.streamFrames),
      notes: notesOn(context),
    };
  } finally {
    folder.remove();
  }
}

async function measureAll(context: BenchContext): Promise<Measurement[]> {
  const stores = appendStores(context.installed);
  const found: Measurement[] = [];
  for (const store of stores) found.push(...(await measureAppends(store, context)));
  for (const store of stores.filter(({ onDisk }) => onDisk)) found.push(...(await measureDensity(store, context)));
  found.push(...(await measureSettling(context)));
  found.push(...(await measureRecovery(context)));
  return found;
}

function notesOn({ installed, sizes }: BenchContext): string[] {
  const capped = sizes.recoveryFrames.some((frames) => frames > greatestPiRecovery);
  return [
    ...(installed.pi === undefined ? ["pi-agent-core is not installed: there are no ratios."] : []),
    ...fileStoreNames.filter((name) => !installed.stores.includes(name)).map(notMeasured),
    ...(installed.pi !== undefined && capped
      ? [`Recovery of pi-agent-core was measured up to ${greatestPiRecovery.toLocaleString("en-US")} frames only.`]
      : []),
  ];
}

function notMeasured(name: FileStoreName): string {
  const { title, requires } = fileStoreNamed(name);
  return `${requires} is not installed: ${title} was not measured.`;
}

function thisMachine(): BenchReport["machine"] {
  const processors = cpus();
  return {
    platform: `${platform()} ${arch()}`,
    cpu: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryMb: Math.round(totalmem() / 1e6),
    load: loadavg()[0] ?? 0,
  };
}
