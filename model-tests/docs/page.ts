/** How a generated page is put together. */
import { wrap } from "../draw/layout.ts";

export interface Page {
  /** Path below `docs/`. */
  readonly path: string;
  readonly text: string;
}

const generated = "<!-- Generated from the sources by `npm run docs`: change those, not this page. -->";

export const page = (path: string, title: string, ...parts: readonly string[]): Page => ({
  path,
  text: `${[`# ${title}`, generated, ...parts].join("\n\n")}\n`,
});

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(cell).join(" | ")} |`).join("\n");

/** A bare `<` would begin a tag. */
const escaped = (text: string): string => text.replaceAll("<", "&lt;");

const cell = (text: string): string => escaped(text).replaceAll("|", "\\|").replaceAll("\n", " ");

/** How many characters a line of prose may have. */
const lineWidth = 140;

/** A paragraph in lines. */
export const wrapped = (text: string): string => wrap(escaped(text), lineWidth).join("\n");

export const bullets = (texts: readonly string[]): string => texts.map((text) => `- ${escaped(text)}`).join("\n");
