/**
 * The part of the graph that a harness can be driven through which takes turns of its own on the session line, and hands
 * the store one commit at a time: pi-agent-core.
 */
import type { JointEdge, JointGraph } from "./graph.ts";

export function offeredOneAtATime({ nodes }: JointGraph): (edge: JointEdge) => boolean {
  return ({ from, to, joint }) => {
    const before = nodes[from]?.line ?? [];
    const after = nodes[to]?.line ?? [];
    switch (joint.event.type) {
      // Its drive takes no notice of an outside party, which is a listed divergence: nothing behind it could be compared.
      case "finalize":
        return false;
      case "land":
        return !before.some(({ landed }) => landed);
      // The next transaction of its drive comes behind a turn that writes nothing of note: with others waiting, its place differs.
      case "reply":
        return before.length === 1 || after.length < before.length;
      case "stream.end":
        return before.length === 0 || after.length === before.length;
      default:
        return true;
    }
  };
}
