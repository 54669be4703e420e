/** A replay fixture for people: its requests with a plot of their bursts, or the events of one. */
import { createColors } from "picocolors";
import { type Burst, burstsOf, type Fixture, type RecordedEvent, type RecordedRequest } from "../../src/index.ts";
import { count, duration, plural } from "../draw/layout.ts";
import type { Layout } from "./reporter.ts";

const heights = " ▁▂▃▄▅▆▇█";
const plotWidth = 60;

/** One paragraph a request. */
export function fixtureText({ requests, startedAt, complete }: Fixture, { colour }: Layout): string {
  const c = createColors(colour);
  const state = complete ? "complete" : "a prefix: its recorder was not closed";
  const head = `${plural(requests.length, "request")}, recorded from ${new Date(startedAt).toISOString()}, ${state}`;
  const paragraphs = requests.flatMap((request, index) => ["", ...requestLines(request, index, c.dim)]);
  return `${[c.bold(head), ...paragraphs].join("\n")}\n`;
}

function requestLines(request: RecordedRequest, index: number, dim: (text: string) => string): string[] {
  const { events, model, call, end, abortedAt } = request;
  const bursts = burstsOf(events);
  const largest = Math.max(0, ...bursts.map(({ from, to }) => to - from));
  const aborted = abortedAt === undefined ? "" : `, aborted by its caller after ${duration(abortedAt)}`;
  const span = events.at(-1)?.at ?? 0;
  return [
    `${index + 1}. ${call} ${model.provider}/${model.id}: ${endOf(request)}${aborted}`,
    `   ${count(events.length)} events in ${plural(bursts.length, "burst")} (largest ${largest}) over ${duration(Math.max(0, span))}${end === undefined ? ", and no end" : ""}`,
    ...(bursts.length === 0 ? [] : [`   ${dim("|")}${plotOf(events, bursts)}${dim("|")}`]),
  ];
}

function endOf({ events, end }: RecordedRequest): string {
  const last = events.at(-1)?.event;
  if (end === undefined) return "not ended when the recording stopped";
  if (end.kind === "threw") return `threw (${end.message})`;
  if (end.kind === "defect") return `broke the protocol (${end.what})`;
  return last?.type === "done" || last?.type === "error" ? last.reason : "ended without a terminal event";
}

/**
 * The bursts along their time, higher the more events came. Gaps longer than a minute take no more room than one: published
 * recordings may have times that were edited.
 */
function plotOf(events: readonly RecordedEvent[], bursts: readonly Burst[]): string {
  let time = 0;
  const placed = bursts.map(({ from, to }) => {
    time += Math.min(60_000, Math.max(0, (events[from]?.at ?? 0) - (events[from - 1]?.at ?? 0)));
    return { time, size: to - from };
  });
  const columns = Array.from({ length: plotWidth }, () => 0);
  for (const { time: at, size } of placed) {
    const column = time === 0 ? 0 : Math.min(plotWidth - 1, Math.floor((at / time) * plotWidth));
    columns[column] = (columns[column] ?? 0) + size;
  }
  const most = Math.max(...columns);
  return columns.map((size) => heights[Math.ceil((size / most) * (heights.length - 1))]).join("");
}

/** Every event of a request: its time, its type, and what it says. */
export function eventLines({ events }: RecordedRequest, { width, colour }: Layout): string {
  const c = createColors(colour);
  const inBurst = new Set(
    burstsOf(events).flatMap(({ from, to }) => Array.from({ length: to - from - 1 }, (_, i) => from + 1 + i)),
  );
  const lines = events.map(({ at, event, ahead = 0 }, index) => {
    const time = inBurst.has(index) ? "" : `${count(at)} ms`;
    const said =
      "delta" in event ? JSON.stringify(event.delta) : "content" in event ? JSON.stringify(event.content) : "";
    const more = ahead > 0 ? c.dim(` (shows ${plural(ahead, "more delta")})`) : "";
    return `${time.padStart(12)}  ${event.type.padEnd(15)} ${said}`.slice(0, width).trimEnd() + more;
  });
  return `${lines.join("\n")}\n`;
}
