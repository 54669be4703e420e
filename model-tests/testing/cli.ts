/** Runs the command line inside a test. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import type { Io } from "../cli/io.ts";
import { runCli } from "../cli/run-cli.ts";

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function cli(...argv: readonly string[]): Promise<Answer> {
  let stdout = "";
  let stderr = "";
  const io: Io = {
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    colour: false,
    width: 100,
    showsProgress: false,
    program: "npx durability",
  };
  const code = await runCli(argv, io);
  return { code, stdout, stderr };
}

const folders: string[] = [];

/** A folder that is gone when the tests of the file are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "durability-"));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const reference = new URL("../adapters/reference.ts", import.meta.url).href;

/** An adapter module whose default export is `expression`, in which `referenceAdapter` is at hand. */
export function adapterModule(expression: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const file = join(folder, "adapter.ts");
  writeFileSync(
    file,
    `import { referenceAdapter } from ${JSON.stringify(reference)};\nexport default ${expression};\n`,
  );
  return file;
}

/** The reference, but for the calls that `overrides` replaces. */
export const brokenAdapter = (overrides: string): string =>
  adapterModule(
    `{ ...referenceAdapter, name: "broken", boot: async (s) => ({ ...(await referenceAdapter.boot(s)), ${overrides} }) }`,
  );
