/** Finds the code in the written pages: fenced blocks, and words in backquotes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package-root.ts";

/** One fenced block. */
export interface Snippet {
  /** From the root of the package. */
  readonly page: string;
  /** The first line of the code, from 1. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

/** A file that a page's snippets import, written for the compiler in a comment that readers do not see. */
export interface Support {
  readonly page: string;
  readonly name: string;
  readonly code: string;
}

/** One word or command in backquotes. */
export interface Quoted {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

/** The pages that people write; what stands in `docs/generated` is compared with its sources elsewhere. */
export const writtenPages: readonly string[] = ["", "docs", "docs/decisions", "examples"].flatMap((folder) =>
  readdirSync(join(packageRoot(), folder))
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => (folder === "" ? name : `${folder}/${name}`)),
);

const textOf = (page: string): string => readFileSync(join(packageRoot(), page), "utf8");
const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;
/** A block may be indented, as a part of a list. */
const fence = /^ *```(\w+)\n([\s\S]*?)^ *```$/gm;
const support = /^<!-- file (\S+)\n([\s\S]*?)^-->$/gm;

export const snippetsOf = (page: string): readonly Snippet[] => {
  const text = textOf(page);
  return [...text.matchAll(fence)].map(({ 1: language = "", 2: code = "", index }) => ({
    page,
    line: lineAt(text, index) + 1,
    language,
    code,
  }));
};

export const supportOf = (page: string): readonly Support[] =>
  [...textOf(page).matchAll(support)].map(({ 1: name = "", 2: code = "" }) => ({ page, name, code }));

export function quotedOf(page: string): readonly Quoted[] {
  const text = textOf(page).replace(fence, (block) => block.replaceAll(/[^\n]/g, ""));
  return [...text.matchAll(/`([^`\n]+)`/g)].map((match) => ({
    page,
    line: lineAt(text, match.index),
    text: match[1] ?? "",
  }));
}
