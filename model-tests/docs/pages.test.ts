/** The committed pages are what the sources say today. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { collectEvidence } from "../trace/evidence.ts";
import { pages } from "./pages.ts";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
const current = pages(collectEvidence());

describe("the generated pages of docs/", () => {
  test.each(current.map(({ path, text }) => [path, text]))(
    "%s is what the sources say (run `npm run docs`)",
    (path, text) => {
      const file = join(docs, path);
      expect(existsSync(file)).toBe(true);
      expect(readFileSync(file, "utf8")).toBe(text);
    },
  );

  test("holds no page that nothing generates", () => {
    // The fields are written by the test that falsifies each of them.
    const known = [...current.map(({ path }) => path), "generated/fields.md"];
    const found = readdirSync(join(docs, "generated")).map((name) => `generated/${name}`);
    expect(found.filter((path) => !known.includes(path))).toEqual([]);
  });
});
