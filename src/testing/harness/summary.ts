// Shared by the tests of summaries.
import type { BranchSummaryEntry } from "../../durable/entries.ts";
import type { HarnessOptions } from "../../harness/options.ts";
import type { SummarizeOptions } from "../../harness/summary/summary.ts";
import type { CommitResult } from "../../storage/contract/storage.ts";
import { zeroUsage } from "../../storage/contract/usage-totals.ts";
import type { Write } from "../../storage/contract/writes.ts";
import type { World } from "./fakes.ts";
import { assistant, beginning, done, type FakeRequest, openWorld, ParkingStorage, quiet } from "./fakes.ts";

/** Remembers every transaction that it was handed. */
class SpyStorage extends ParkingStorage {
  readonly commits: Write[][] = [];

  override commit(writes: Write[]): Promise<CommitResult> {
    this.commits.push(writes);
    return super.commit(writes);
  }

  /** Everything that ever touched a frame list. */
  get frameWrites(): Write[] {
    return this.commits.flat().filter((write) => "namespace" in write && write.namespace === frameNamespace);
  }
}

const frameNamespace = "pi.pending.assistant_frame";

export interface SpiedWorld extends World {
  storage: SpyStorage;
}

export async function openSpied(options: Partial<HarnessOptions> = {}): Promise<SpiedWorld> {
  const storage = new SpyStorage();
  return { ...(await openWorld(options, storage)), storage };
}

/** One prompt and its answer. */
export async function converse(world: World): Promise<void> {
  await world.lane.accept({ prompt: "Hi" });
  const activation = world.lane.activate();
  await quiet();
  await world.provider.last.push(...beginning("hello"), done(assistant("hello")));
  await activation;
}

/** An idle lane with a conversation, of which the spies have forgotten how it came about. */
export async function withConversation(options?: Partial<HarnessOptions>): Promise<SpiedWorld> {
  const world = await openSpied(options);
  await converse(world);
  world.storage.commits.length = 0;
  world.events.length = 0;
  return world;
}

export interface BegunSummary {
  readonly summary: Promise<BranchSummaryEntry>;
  readonly request: FakeRequest;
}

/** A summary whose stream has begun; that it may fail is no surprise. */
export async function begin(world: World, options?: SummarizeOptions): Promise<BegunSummary> {
  const summary = world.lane.summarize(options);
  summary.catch(() => {});
  await quiet();
  await world.provider.last.push(...beginning("In short"));
  return { summary, request: world.provider.last };
}

export const summaryUsage = { ...zeroUsage(), input: 7, output: 3, totalTokens: 10 };

/** The end of a good summary. */
export const summaryDone = done(assistant("In short: hello", { usage: summaryUsage }));

export const summaryFailed = done(assistant("In", { stopReason: "error", errorMessage: "503 service unavailable" }));

/** What a provider says when its signal was pulled. */
export const summaryAborted = done(assistant("In", { stopReason: "aborted", errorMessage: "Request was aborted" }));
