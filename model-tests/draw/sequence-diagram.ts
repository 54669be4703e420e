/**
 * A counterexample as a sequence diagram in plain text. Each numbered line is one action of the schedule; the lines
 * under it are what the specification has the harness do in answer. A pure function of the graph.
 */
import type { Effect, Expected } from "../../machines/index.ts";
import type { Mismatch } from "../drive/mismatch.ts";
import type { Graph, GraphEdge, GraphNode } from "../explore/graph.ts";
import { wrap } from "./layout.ts";
import { canvas, type Party } from "./lifelines.ts";

/** Something that passes from one party to another, or happens at one. */
interface Message {
  readonly from: Party;
  readonly to: Party;
  readonly text: string;
}

export function sequenceDiagram(graph: Graph, path: readonly number[], mismatch: Mismatch): string {
  const edges = path.map((index) => graph.edges[index] as GraphEdge);
  const node = (index: number): GraphNode => graph.nodes[index] as GraphNode;
  const draw = canvas(edges.some((edge) => messageOf(edge, node(edge.from)).from === "Outside"));
  const lines = [draw.head("durable state")];
  edges.forEach((edge, at) => {
    const [before, after] = [node(edge.from), node(edge.to)];
    const isLast = at === edges.length - 1;
    const changed = durableText(before.expected) !== durableText(after.expected);
    const margin = changed && !isLast ? durableText(after.expected) : "";
    lines.push(draw.message(isLast ? "✗" : String(at + 1), messageOf(edge, before), margin));
    if (!isLast) for (const answer of answersOf(edge.effects)) lines.push(draw.message("", answer, ""));
  });
  return [...lines, ...parting(mismatch, draw.width)].join("\n");
}

const commentWidth = 88;

function parting({ field, expected, actual }: Mismatch, width: number): string[] {
  const lines = (label: string, text: string): string[] =>
    wrap(text, Math.max(commentWidth, width) - 16).map(
      (line, at) => `    ${(at === 0 ? label : "").padEnd(10)}${line}`,
    );
  return [`✗ here they part: ${field}`, ...lines("expected", expected), ...lines("actual", actual)];
}

// --- the action ----------------------------------------------------------------------------------------------------------

const message = (from: Party, to: Party, text: string): Message => ({ from, to, text });

/** What the environment does, as an arrow. Every event is mapped; an unknown one does not compile. */
function messageOf({ event }: GraphEdge, { expected }: GraphNode): Message {
  const head = expected.line[0] ?? "commit";
  switch (event.type) {
    case "accept":
      return message("App", "Harness", "accept a prompt");
    case "activate":
      return message("App", "Harness", "activate");
    case "activate.nowait":
      return message("App", "Harness", "activate, no wait");
    case "permit":
      return message("App", "Harness", "activate and poll");
    case "cancel":
      return message("App", "Harness", "cancel");
    case "cancel.stale":
      return message("App", "Harness", "cancel of another");
    case "close":
      return message("App", "Harness", "close");
    case "reopen":
      return message("App", "Harness", "reopen");
    case "snapshot":
      return message("App", "Harness", "snapshot");
    case "finalize":
      return message("Outside", expected.process === "up" ? "Harness" : "Store", "finalize");
    case "crash":
      return message("Harness", "Harness", "the process crashes");
    case "tick":
      return message("Harness", "Harness", "retry time is reached");
    case "land":
      return message("Harness", "Store", `${expected.line[expected.landed] ?? "commit"} lands`);
    case "reply":
      return message("Store", "Harness", `${head} acknowledged`);
    case "fail":
      return message("Store", "Harness", `${head} fails, not landed`);
    case "lose_reply":
      return message("Store", "Harness", `${head} landed, reply lost`);
    case "fault":
      return message("Store", "Harness", "another lane's commit fails");
    case "stream.start":
      return message("Provider", "Harness", "start");
    case "stream.update":
      return message("Provider", "Harness", "update");
    case "stream.covered":
      return message("Provider", "Harness", "update, no frame");
    case "stream.end":
      return message("Provider", "Harness", `end: ${event.end}`);
    case "stream.defect":
      return message("Provider", "Harness", defectText[event.defect]);
    case "listener.release":
      return message("App", "Harness", "listener returns");
    case "hook.release":
      return message("App", "Harness", "after_response done");
    case "tool.return":
      return message("App", "Harness", `${event.tool} returns`);
    case "frames.cut":
      return message("Outside", "Store", "cuts frames");
    case "frames.remove":
      return message("Outside", "Store", "no frames");
    case "frames.damage":
      return message("Outside", "Store", "spoils one");
    case "frames.lengthen":
      return message("Outside", "Store", "adds frames");
    case "late":
      return message(expected.parked === "stream" ? "Provider" : "App", "Harness", "a late answer");
  }
}

/** Short enough for an arrow. */
const defectText = {
  update_before_start: "update, no start",
  done_before_start: "done, no start",
  second_start: "a second start",
  event_after_end: "event after end",
  iterator_throws: "stream throws",
  no_terminal_event: "ends without end",
} as const;

// --- what it brings about ------------------------------------------------------------------------------------------------

/** Effects as arrows; what goes to the application in one step shares a line. What may or may not show is left out. */
function answersOf(effects: readonly Effect[]): Message[] {
  const sure = effects.filter((effect) => !("optional" in effect && effect.optional === true));
  const to = (party: Party): Message[] => {
    const texts = sure.flatMap((effect) => {
      const answer = answerOf(effect);
      return answer?.to === party ? [answer.text] : [];
    });
    return texts.length === 0 ? [] : [message("Harness", party, texts.join(", "))];
  };
  return [...to("Provider"), ...to("App")];
}

function answerOf(effect: Effect): { readonly to: Party; readonly text: string } | undefined {
  switch (effect.kind) {
    case "request":
      return { to: "Provider", text: "request" };
    case "poll":
      return { to: "Provider", text: "poll" };
    case "remote_cancel":
      return { to: "Provider", text: "cancel" };
    case "signal":
      return { to: "Provider", text: "abort signal" };
    case "hook":
      return { to: "App", text: "after_response" };
    case "tools":
      return { to: "App", text: `run ${effect.tool}` };
    case "event":
      return { to: "App", text: effect.name };
    case "call":
      return { to: "App", text: `${effect.call}: ${effect.outcome}` };
    case "prompt":
    case "frame":
    case "response":
    case "tool_results":
      // They show in the durable state.
      return undefined;
  }
}

/** What a reopen would find. */
function durableText({ durable }: Expected): string {
  const { at, control, attempt, poll, listed, outcome } = durable;
  if (at === "none") return outcome === null ? "no operation" : `ended: ${outcome}`;
  return [
    at,
    ...(attempt > 0 ? [`attempt ${attempt}`] : []),
    ...(poll > 0 ? [`poll ${poll}`] : []),
    ...(listed > 0 ? [`${listed} frame${listed === 1 ? "" : "s"}`] : []),
    ...(control === "cancelled" ? ["cancelled"] : []),
  ].join(", ");
}
