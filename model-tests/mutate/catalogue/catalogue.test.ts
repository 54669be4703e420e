/** The catalogue of mutants is sound: each has a name of its own, and fits the sources that it edits. */
import { expect, test } from "vitest";
import { isStale } from "../workspace.ts";
import { catalogue, mutantNamed } from "./catalogue.ts";

test("each mutant has a name of its own, which a file system takes", () => {
  const names = catalogue.map(({ mutant }) => mutant.name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z0-9-]+$/);
});

test("each mutant changes its text", () => {
  const same = catalogue.filter(({ mutant }) => mutant.find === mutant.replace);
  expect(same).toEqual([]);
});

test("no mutant is stale: its text occurs exactly once in the sources", () => {
  const stale = catalogue.filter(({ target, mutant }) => isStale(target, mutant)).map(({ mutant }) => mutant.name);
  expect(stale, "write the edits of these mutants anew").toEqual([]);
});

test("a name that stands nowhere is refused", () => {
  expect(() => mutantNamed("nobody")).toThrow('Unknown mutant "nobody"');
});
