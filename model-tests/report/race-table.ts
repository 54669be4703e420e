/** The race table for people: what is raced, where, how often, and what must come of it. */
import { createColors } from "picocolors";
import { count, plural, wrap } from "../draw/layout.ts";
import type { Layout } from "./reporter.ts";

export interface RaceRow {
  readonly id: string;
  readonly title: string;
  readonly kind: "choice" | "precedence";
  readonly requirements: readonly string[];
  readonly enablingStates: number;
  readonly orders: readonly [RaceOrder, RaceOrder];
  readonly crashPoints: number;
}

interface RaceOrder {
  readonly first: string;
  readonly second: string;
  readonly required: string;
  readonly schedules: number;
}

const idWidth = 5;

export function raceTable(rows: readonly RaceRow[], bounds: string, { colour, width }: Layout): string {
  const c = createColors(colour);
  const block = (row: RaceRow): string[] => {
    const facts = `${row.kind}, ${plural(row.enablingStates, "state")}, ${plural(row.crashPoints, "crash point")}, ${row.requirements.join(" ")}`;
    return [
      `${c.bold(row.id.padEnd(idWidth))}${c.bold(row.title)}  ${c.dim(facts)}`,
      ...row.orders.flatMap((order, at) => orderLines(row, order, at)),
    ];
  };
  const orderLines = (row: RaceRow, order: RaceOrder, at: number): string[] => {
    const [before, then] = row.kind === "precedence" && at === 1 ? ["never", "before"] : ["", "then"];
    const words = `${before} ${order.first} ${then} ${order.second}`.trim();
    const figures = plural(order.schedules, "schedule");
    return [
      `${" ".repeat(idWidth)}${words}  ${c.dim(figures)}`,
      ...wrap(order.required, width - idWidth - 4).map((line) =>
        `${" ".repeat(idWidth + 2)}${c.dim("→")} ${line}`.replace(/→ (?=\s)/, "  "),
      ),
    ];
  };
  const schedules = rows.reduce((sum, { orders }) => sum + orders[0].schedules + orders[1].schedules, 0);
  return `${[
    c.dim(`${count(rows.length)} races, ${count(schedules)} schedules within ${bounds} bounds`),
    "",
    ...rows.flatMap((row) => [...block(row), ""]),
    ...wrap(
      "choice: either action may come first, both orders are driven. precedence: the second order must never happen; it is provoked and seen not to. Within each order one schedule runs quietly to an idle lane, the others have one crash, fault, cancel, close or finalization on the way.",
      width,
    ).map(c.dim),
  ].join("\n")}\n`;
}
