/** Every field that the checker compares at a step, with the requirements on whose behalf it does. */
import type { RequirementId } from "../../machines/index.ts";

/** By field. A comparison that is not listed here does not compile, nor does one on behalf of another requirement. */
export const comparisons = {
  "step succeeds": ["E1"],
  step: ["N13"],
  quiescence: ["N13"],
  "durable.at": ["D5", "N1"],
  "durable.control": ["F1"],
  "durable.attempt": ["E7"],
  "durable.poll": ["G3"],
  "durable.plan": ["D5", "Q1"],
  "durable.listed": ["C4"],
  "durable.outcome": ["O2"],
  "durable after a crash inside the step": ["E9"],
  "commits at the store": ["C7"],
  "landed and not replied": ["C7"],
  "order at the store": ["C7"],
  events: ["I4", "J1"],
  "request calls": ["C7"],
  polls: ["G2"],
  "remote cancels": ["G4"],
  "hook calls": ["C5"],
  "tool calls": ["E6", "Q1"],
  "calls that run": ["Q1"],
  signal: ["F1", "K1", "K2", "K3"],
  "signals of hook and tools": ["F5"],
  "promises settled": ["F1", "F5", "K1", "K2", "K3", "O1", "O2", "Q7"],
  "activations still pending": ["N13"],
  activation: ["O3"],
  "the drive waits for": ["C1", "C2", "N13"],
  "snapshots refused": ["I1"],
  "snapshot: transcript": ["I2"],
  "snapshot: operation open": ["I1"],
  "snapshot: streamingMessage": ["I1"],
  "entries in the transcript": ["D1"],
  "usage rows": ["D1"],
  "accepted prompt entry": ["O1"],
  "response entry": ["D1"],
  "response id": ["E5"],
  "parent of the response": ["D1"],
  "response role": ["D1"],
  stopReason: ["D5"],
  "response content": ["D3", "E3"],
  "usage row id": ["D1"],
  "usage row": ["D1"],
  "reported usage": ["F2", "Q3"],
  "tool result": ["D5", "F4", "K3", "Q1"],
  "usage of a synthetic response": ["E3", "F3"],
  "errorMessage of a synthetic response": ["E3"],
  "identity of a synthetic response": ["E4"],
  "damage of a synthetic response": ["B4"],
} as const satisfies Readonly<Record<string, readonly RequirementId[]>>;

/** The name of a field that is compared. */
export type ComparedField = keyof typeof comparisons;
/** A requirement on whose behalf a field is compared. */
export type RequirementOf<F extends ComparedField> = (typeof comparisons)[F][number];
