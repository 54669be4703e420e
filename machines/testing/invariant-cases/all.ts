/** Hand-made histories for each invariant: some that keep it, some that break it, one of which it does not speak. */
import type { RequirementId } from "../../requirements.ts";
import { audienceCases } from "./audience.ts";
import type { Cases } from "./cases.ts";
import { deferredCases } from "./deferred.ts";
import { operationCases } from "./operation.ts";
import { toolCases } from "./tools.ts";
import { wholeHistoryCases } from "./whole-history.ts";

/** The histories of every invariant, by its requirement. */
export const cases: Readonly<Partial<Record<RequirementId, Cases>>> = {
  ...wholeHistoryCases,
  ...deferredCases,
  ...operationCases,
  ...audienceCases,
  ...toolCases,
};
