/** The evidence of a package: the tests that its sources name, stored with it, and what its checker compares. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package-root.ts";
import { registered } from "./registered.ts";
import type { Evidence } from "./trace.ts";

/** The file with the named tests, below the root of the package. `npm run docs` writes it. */
export const namedTestsPath = "model-tests/trace/named-tests.json";

export function storedEvidence(): Evidence {
  const namedTests = JSON.parse(readFileSync(join(packageRoot(), namedTestsPath), "utf8")) as Evidence["namedTests"];
  return { namedTests, comparisons: registered };
}
