/**
 * What a run has shown, step by step. A run that begins like one before it repeats those steps without looking: what there
 * is to see has been seen, and most of a schedule is the way to its state.
 */
import type { HistoryStep } from "../../machines/index.ts";
import type { GraphEdge, GraphNode } from "../explore/graph.ts";
import type { ContentMark } from "./content.ts";

/** One step that was driven and matched, with what was seen of it. */
export interface DrivenStep {
  readonly edge: GraphEdge;
  readonly fact: HistoryStep;
}

/** A step that matched its plan, and where it left the driver. */
export interface Moment {
  readonly step: DrivenStep;
  readonly nodes: readonly GraphNode[];
  readonly content: ContentMark;
}

/** The moments that a run along `edges` need not look at. The last one that both have in common shows whether it is there. */
export function repeated(trail: readonly Moment[], edges: readonly GraphEdge[]): readonly Moment[] {
  let common = 0;
  while (common < edges.length && trail[common]?.step.edge === edges[common]) common++;
  return trail.slice(0, Math.max(0, common - 1));
}
