/** Writes the generated pages (`npm run docs`). */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pages } from "./pages.ts";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));

for (const { path, text } of pages()) {
  const file = join(docs, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
