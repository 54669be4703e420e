/** Words, colours and columns that the text reports share. */
import type { createColors } from "picocolors";

export type Colours = ReturnType<typeof createColors>;

/** `12,345`: the same digits on every machine, whatever its locale. */
export const count = (value: number): string => Math.round(value).toLocaleString("en-US");

export const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000
    ? `${(ms / 1_000).toFixed(1)} s`
    : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Rounded down: 100 % means all of it. */
export const percent = (part: number, whole: number): string =>
  `${whole === 0 ? 100 : Math.floor((part / whole) * 100)} %`;

export function bar(part: number, whole: number, width: number): string {
  const full = whole === 0 ? width : Math.floor((part / whole) * width);
  return "━".repeat(full) + "─".repeat(width - full);
}

/** Break text into lines of at most `width` columns, between words. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}

export const indent = (text: string, by: number): string => text.replace(/^(?=.)/gm, " ".repeat(by));

export const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(1, width - 1))}…`;

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** Aligned columns under a head of their titles; paint never changes the alignment. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  head: (text: string) => string = (text) => text,
): string[] {
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.text.length ?? 0)),
  );
  const line = (cells: readonly Cell[]): string =>
    columns
      .map(({ align }, at) => {
        const { text, paint } = cells[at] ?? { text: "" };
        const space = " ".repeat((widths[at] as number) - text.length);
        const painted = paint === undefined || text === "" ? text : paint(text);
        return align === "right" ? space + painted : painted + space;
      })
      .join("  ")
      .trimEnd();
  return [head(line(columns.map(({ title }) => ({ text: title })))), ...rows.map(line)];
}
