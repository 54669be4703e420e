/** Writes the generated pages, and the names of the tests that a package keeps of its sources (`npm run docs`). */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../package-root.ts";
import { collectEvidence, namedTestsText } from "../trace/evidence.ts";
import { namedTestsPath } from "../trace/stored-evidence.ts";
import { pages } from "./pages.ts";

const evidence = collectEvidence();
writeFileSync(join(packageRoot(), namedTestsPath), namedTestsText(evidence));
for (const { path, text } of pages(evidence)) {
  const file = join(packageRoot(), "docs", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
