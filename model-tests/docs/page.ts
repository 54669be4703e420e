/** How a generated page is put together. */

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
const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
