/** The folders of file stores leave nothing behind, even when a run is interrupted. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { selfRemovingFolder } from "./self-removing-folder.ts";

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const module = new URL("./self-removing-folder.ts", import.meta.url).href;

/** A process that makes a folder with a file in it, says where, and then does `more`. */
async function processWithFolder(more: string) {
  const script = `import { writeFileSync } from "node:fs";
    import { selfRemovingFolder } from ${JSON.stringify(module)};
    const { path } = selfRemovingFolder();
    writeFileSync(path + "/session", "");
    process.stdout.write(path);
    ${more}`;
  const args = ["--import", loader, "--input-type=module", "-e", script];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  return { child, path: said.toString() };
}

test("a folder is removed when asked, and asking again does no harm", () => {
  const { path, remove } = selfRemovingFolder();
  expect(existsSync(path)).toBe(true);
  remove();
  remove();
  expect(existsSync(path)).toBe(false);
});

test("at the end of its process it is removed", async () => {
  const { child, path } = await processWithFolder("");
  await once(child, "close");
  expect(existsSync(path)).toBe(false);
});

test("when its process is interrupted it is removed, and the interruption ends the process", async () => {
  const { child, path } = await processWithFolder("setInterval(() => {}, 1_000);");
  expect(existsSync(path)).toBe(true);
  child.kill("SIGINT");
  await once(child, "close");
  expect(child.signalCode).toBe("SIGINT");
  expect(existsSync(path)).toBe(false);
});
