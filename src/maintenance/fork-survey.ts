/** Reads the shape of a session before it is forked: tree, tips and lanes, no content (L1). */
import {
  branchTip,
  entryLabel,
  isOperationOwned,
  isReserved,
  laneConfig,
  laneState,
  operationResult,
  sessionName,
} from "../addresses/builtins.ts";
import type { LaneState } from "../durable/operation.ts";
import { ForkRefused } from "../errors.ts";
import type { SessionImage, Survivor } from "../storage/contract/image.ts";

/** What decides on a fork: the shape of the tree and the scalars of the lanes, and no content. */
export interface ForkSurvey {
  /** By entry id. */
  readonly parents: ReadonlyMap<string, string | null>;
  /** By lane; a branch that no harness drove yet has a tip only. */
  readonly tips: ReadonlyMap<string, string | null>;
  readonly configured: ReadonlySet<string>;
  readonly states: ReadonlyMap<string, LaneState>;
}

export const namespaces = {
  tip: branchTip("").namespace,
  config: laneConfig("").namespace,
  state: laneState("").namespace,
  result: operationResult("").namespace,
  name: sessionName.namespace,
  label: entryLabel("").namespace,
} as const;

const knownValues: ReadonlySet<string> = new Set(Object.values(namespaces));

/**
 * Reads the image once.
 *
 * @throws {ForkRefused} `unknown_reserved_state`: nobody can tell whether a fork may have it.
 */
export async function surveyFork(image: SessionImage): Promise<ForkSurvey> {
  const survey = new Survey();
  for await (const page of image.pages()) for (const { write } of page) survey.add(write);
  return survey;
}

class Survey implements ForkSurvey {
  readonly parents = new Map<string, string | null>();
  readonly tips = new Map<string, string | null>();
  readonly configured = new Set<string>();
  readonly states = new Map<string, LaneState>();

  add(write: Survivor["write"]): void {
    if (write.kind === "usage") return;
    if (write.kind === "entry") {
      this.parents.set(write.entry.id, write.entry.parentId);
      return;
    }
    const { kind, namespace, key, value } = write;
    const isKnown = kind === "value" && knownValues.has(namespace);
    if (isReserved(namespace) && !isOperationOwned(namespace) && !isKnown) throw unknownState(kind, namespace);
    if (kind === "value") this.#addScalar(namespace, key, value);
  }

  #addScalar(namespace: string, key: string, value: unknown): void {
    if (namespace === namespaces.tip) this.tips.set(key, value as string | null);
    else if (namespace === namespaces.config) this.configured.add(key);
    else if (namespace === namespaces.state) this.states.set(key, value as LaneState);
  }
}

function unknownState(kind: string, namespace: string): ForkRefused {
  return new ForkRefused(
    "unknown_reserved_state",
    `it has a ${kind} in the reserved namespace "${namespace}", which this version does not know`,
  );
}
