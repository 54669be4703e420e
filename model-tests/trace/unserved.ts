/** Requirements that nothing has to check, because the project does not serve them yet. Changed only in a review. */
import type { Unserved } from "./trace.ts";

const noFixture = "the replay fixture is not built";

export const unserved: Unserved = {
  P1: "the log of assembled messages alone is not built",
  P2: noFixture,
  P3: noFixture,
  P4: noFixture,
  P6: "there is no loading for an Agent Client Protocol client",
  P7: "the logical log has no format of its own",
  P8: "the sizes of a log are not measured",
};
