/** The shape of every source file: it says what it is for, and it is short. */
import { expect, test } from "vitest";
import { sourceFiles, textOf } from "./tracked-files.ts";

const longest = 400;

const hasHeadComment = (text: string): boolean => /^(#![^\n]*\n)?(\/\*[\s*]*[^\s*/]|\/\/ ?\S)/.test(text);

test("every source file begins with a comment that says what it is for", () => {
  const bare = sourceFiles().filter((path) => !hasHeadComment(textOf(path)));
  expect(bare, "Begin each of these files with a comment of one to three lines that says what it is for").toEqual([]);
});

test(`no source file has more than ${longest} lines`, () => {
  const tooLong = sourceFiles()
    .map((path) => ({ path, lines: textOf(path).split("\n").length - 1 }))
    .filter(({ lines }) => lines > longest)
    .map(({ path, lines }) => `${path}: ${lines} lines`);
  expect(tooLong, "Cut each of these files by its ideas; data that a program writes is JSON").toEqual([]);
});
