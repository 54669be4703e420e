/** Which transitions every state of a living process shares: a chart draws them once. */
import type { AnyStateMachine, AnyStateNode } from "xstate";
import type { Arrow } from "./arrows.ts";

/** The parent of every state of a living process. */
const living = "up";

/** Whether the parent of the living states makes this transition, not the state itself or a place around it. */
export function isShared(machine: AnyStateMachine, { from, to, event }: Arrow): boolean {
  const [root, ...names] = from.split(".");
  if (root !== living || names.length === 0) return false;
  let node = machine.root.states[living] as AnyStateNode;
  if (!leads(node, event, to)) return false;
  for (const name of names) {
    node = node.states[name] as AnyStateNode;
    if (leads(node, event, to)) return false;
  }
  return true;
}

const leads = (node: AnyStateNode, event: string, to: string): boolean =>
  (node.transitions.get(event) ?? []).some((branch) =>
    (branch.target ?? []).some((target: AnyStateNode) => {
      const path = target.path.join(".");
      return to === path || to.startsWith(`${path}.`);
    }),
  );
