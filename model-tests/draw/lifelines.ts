/** Draws the parties of a sequence diagram as columns, and messages between them as arrows. */

export type Party = "App" | "Harness" | "Provider" | "Store" | "Outside";

/** Columns of the lifelines; an arrow's text needs the room between two of them. */
const positions: Readonly<Record<Party, number>> = { App: 8, Harness: 32, Provider: 53, Store: 64, Outside: 80 };

const marginGap = 5;

export interface Canvas {
  readonly width: number;
  /** The names of the parties over their lifelines. */
  head(margin: string): string;
  /** One line: its number or mark, an arrow, and a remark at the right. */
  message(
    mark: string,
    arrow: { readonly from: Party; readonly to: Party; readonly text: string },
    margin: string,
  ): string;
}

export function canvas(withOutside: boolean): Canvas {
  const parties = (Object.keys(positions) as Party[]).filter((party) => withOutside || party !== "Outside");
  const last = parties.at(-1) as Party;
  const width = positions[last] + 1;
  const withMargin = (cells: readonly string[], margin: string): string =>
    `${cells.join("").padEnd(width + marginGap)}${margin}`.trimEnd();
  return {
    width,
    head: (margin) => {
      const cells = blank(width + marginGap);
      for (const party of parties) write(cells, positions[party] - Math.floor((party.length - 1) / 2), party);
      return withMargin(cells, margin);
    },
    message: (mark, { from, to, text }, margin) => {
      const cells = blank(width);
      write(cells, Math.max(0, 3 - mark.length), mark);
      for (const party of parties) write(cells, positions[party], "│");
      if (from === to) write(cells, positions[from] + 1, ` ${text} `);
      else arrow(cells, positions[from], positions[to], text);
      return withMargin(cells, margin);
    },
  };
}

const blank = (width: number): string[] => new Array<string>(width).fill(" ");

function write(cells: string[], at: number, text: string): void {
  [...text].forEach((character, offset) => {
    cells[at + offset] = character;
  });
}

/** `│─ text ──────►│`, in either direction, over every lifeline between. */
function arrow(cells: string[], from: number, to: number, text: string): void {
  const [left, right] = [Math.min(from, to) + 1, Math.max(from, to) - 1];
  for (let at = left; at <= right; at++) cells[at] = "─";
  cells[to > from ? right : left] = to > from ? "►" : "◄";
  const room = right - left - 3;
  const shown = text.length > room ? `${text.slice(0, room - 1)}…` : text;
  write(cells, to > from ? left + 1 : left + 2, ` ${shown} `);
}
