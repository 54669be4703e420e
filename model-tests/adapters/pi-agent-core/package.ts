/** Loads pi's published harness on demand: it is a development dependency, never a runtime one. */
import { createRequire } from "node:module";
import type * as PiModule from "@earendil-works/pi-agent-core";
import { UsageError } from "../../errors.ts";
import type * as GlobalTime from "../global-time.ts";

export type Pi = typeof PiModule;

const piPackageName = "@earendil-works/pi-agent-core";

/** Drives its clock: a development dependency as well, since no other adapter needs it. */
const timersPackageName = "@sinonjs/fake-timers";

export interface LoadedPi {
  readonly pi: Pi;
  readonly version: string;
  readonly time: typeof GlobalTime;
}

/**
 * @param module where another copy of the package begins; by default the installed one.
 * @throws {UsageError} when it, or the library that drives its clock, is not installed.
 */
export async function loadPi(module: string = piPackageName): Promise<LoadedPi> {
  try {
    const pi = (await import(module)) as Pi;
    const time = await import("../global-time.ts");
    const manifest = createRequire(import.meta.url)(`${piPackageName}/package.json`) as { readonly version: string };
    return { pi, version: manifest.version, time };
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new UsageError(
      `pi-agent-core is not installed. Add it with: npm install --save-dev ${piPackageName}@0.87.1 ${timersPackageName}`,
    );
  }
}

/** Only the absence of the package itself; a package of its own that is missing is another defect. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const absent = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  return absent && [piPackageName, timersPackageName].some((name) => error.message.includes(`'${name}`));
}
