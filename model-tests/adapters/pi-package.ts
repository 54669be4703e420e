/** Loads pi's published harness on demand: it is a development dependency, never a runtime one. */
import { createRequire } from "node:module";
import type * as PiModule from "@earendil-works/pi-agent-core";

export type Pi = typeof PiModule;

const piPackageName = "@earendil-works/pi-agent-core";

class PiNotInstalled extends Error {
  override readonly name = "PiNotInstalled";
  readonly code = "pi_not_installed";

  constructor(cause: unknown) {
    super(`${piPackageName} is not installed; add it with: npm install --save-dev ${piPackageName}@0.87.1`, { cause });
  }
}

export async function loadPi(): Promise<{ readonly pi: Pi; readonly version: string }> {
  try {
    const pi = await import("@earendil-works/pi-agent-core");
    const manifest = createRequire(import.meta.url)(`${piPackageName}/package.json`) as { readonly version: string };
    return { pi, version: manifest.version };
  } catch (error) {
    throw isMissing(error) ? new PiNotInstalled(error) : error;
  }
}

/** Only the absence of the package itself; a package of its own that is missing is another defect. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const absent = error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND";
  return absent && error.message.includes(`'${piPackageName}`);
}
