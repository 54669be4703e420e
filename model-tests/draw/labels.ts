/** One label for all arrows that lead from one state to another: what happens, and what decides that it leads there. */
import { type Arrow, amidFinalization } from "./arrows.ts";
import { grouped } from "./grouped.ts";
import type { DiagramArrow } from "./mermaid.ts";

/**
 * Where one event leads from one state to several, the label of each arrow says what held before every transition that
 * it stands for, and not before all of its neighbours.
 */
export function labelled(arrows: readonly Arrow[]): DiagramArrow[] {
  const causes = grouped(arrows, ({ from, words, stop }) => [from, words, stop].join("|"));
  const told = [...causes.values()].flatMap((cause) => {
    const common = alwaysHeld(cause);
    return [...grouped(cause, ({ to }) => to).values()].map((same) => {
      const deciding = [...alwaysHeld(same)].find((condition) => !common.has(condition));
      return { ...(same[0] as Arrow), condition: deciding ?? "" };
    });
  });
  const alike = grouped(told, ({ from, to, condition }) => [from, to, condition].join("|"));
  return [...alike.values()].map((same) => {
    const [{ from, to, condition }] = same as [(typeof told)[number]];
    const byWords = [...grouped(same, ({ words }) => words)];
    const happens = byWords.map(([words, told]) =>
      withStops(
        words,
        told.flatMap(({ stop }) => stop ?? []),
      ),
    );
    return { from, to, label: `${happens.join(", ")} ${condition}`.trim() };
  });
}

/** `settle (toolUse, length) replied` */
const withStops = (words: string, stops: readonly string[]): string =>
  stops.length === 0 ? words : words.replace(" ", ` (${stops.join(", ")}) `);

/** A finalization that waits would hide what decides without it. */
export function alwaysHeld(arrows: readonly Arrow[]): ReadonlySet<string> {
  const undisturbed = arrows.filter(({ conditions }) => !conditions.has(amidFinalization));
  const [first, ...others] = (undisturbed.length > 0 ? undisturbed : arrows).map(({ conditions }) => conditions);
  return new Set([...(first ?? [])].filter((condition) => others.every((held) => held.has(condition))));
}
