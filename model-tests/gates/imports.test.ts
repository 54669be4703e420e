/** No two rooms import each other. The linter keeps the walls between the parts and forbids circles of files. */
import { expect, test } from "vitest";
import { importsOf, roomCircles } from "./imports.ts";
import { sourceFiles, textOf } from "./tracked-files.ts";

test("no folder imports another that leads back to it", () => {
  const production = sourceFiles().filter((path) => !path.endsWith(".test.ts"));
  const circles = roomCircles(production.flatMap((path) => importsOf(path, textOf(path))));
  expect(
    circles,
    "Break each of these circles: move what both folders need into a folder that neither leads to",
  ).toEqual([]);
});

test("a circle is found through types, re-exports and dynamic imports, and told by its imports", () => {
  const files = {
    "x/a/one.ts": 'import type { B } from "../b/two.ts";',
    "x/b/two.ts": 'export { c } from "../c/three.ts";',
    "x/c/three.ts": 'const a = await import("../a/one.ts"); import { d } from "./d/four.ts";',
    "x/c/d/four.ts": 'import "vitest";',
  };
  expect(roomCircles(Object.entries(files).flatMap(([path, text]) => importsOf(path, text)))).toEqual([
    "x/a/one.ts -> x/b/two.ts, x/b/two.ts -> x/c/three.ts, x/c/three.ts -> x/a/one.ts",
  ]);
});
