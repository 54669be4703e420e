/** Requirements that nothing has to check, because the project does not serve them yet. Changed only in a review. */
import type { Unserved } from "./trace.ts";

export const unserved: Unserved = {
  Q8: "the watcher of the checker does not add up the events that it gets",
  Q9: "the cancel of a live poll pulls its signal and asks for nothing more",
  Q10: "an accept carries no key yet",
  Q11: "a lane's configuration is fixed when it is set up",
  Q12: "after failed or aborted a new prompt is needed",
};
