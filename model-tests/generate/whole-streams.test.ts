/** Streams that are told to their end, or cut off late. */
import { beforeAll, describe, expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import { explore, type Graph } from "../explore/graph.ts";
import { assertPath, exploringMs } from "../testing/graphs.ts";
import { roadsOf } from "./race-schedules.ts";
import type { Schedule } from "./schedule.ts";
import { wholeStreams } from "./whole-streams.ts";

const bounds = { ...boundsByName.small, framesAlone: 3 };
let graph: Graph;
let schedules: readonly Schedule[];
beforeAll(() => {
  graph = explore(bounds);
  schedules = wholeStreams(roadsOf(graph, new Set(), new Set()), [4, 7]);
}, exploringMs);

const committedWhen = (type: string): number[] =>
  schedules.flatMap(({ edges }) =>
    edges
      .filter(({ event }) => event.type === type)
      .map(({ from }) => graph.nodes[from]?.expected.durable.listed as number),
  );

describe("whole streams", () => {
  test("[E3] a crash cuts a stream off behind each frame that only a stream alone has", () => {
    expect(new Set(committedWhen("crash"))).toEqual(new Set([1, 3, 4, 5]));
  });

  test("[B4] a frame is spoilt in the longest list, and in one that has only its start", () => {
    expect(new Set(committedWhen("frames.damage"))).toEqual(new Set([1, 5]));
  });

  test("[B5] one stream of each content is told to its end", () => {
    const whole = schedules.filter(({ edges }) => edges.every(({ event }) => event.type !== "crash"));

    expect(whole.map(({ content }) => content)).toEqual([4, 7]);
    expect(Math.max(...committedWhen("stream.end"))).toBe(bounds.frames + bounds.framesAlone);
  });

  test("[I1] a reader looks after each of its frames", () => {
    expect(new Set(committedWhen("snapshot"))).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  test("they end where the operation has ended, with nothing left under way", () => {
    for (const { edges } of schedules) {
      assertPath(edges);
      expect(graph.nodes[edges.at(-1)?.to ?? 0]?.path).toBe("up.settled");
    }
  });

  test("amid the frames of a stream alone comes nothing but a crash and a reader", () => {
    const amid = graph.edges.filter(({ from, to }) => {
      const [before, after] = [graph.nodes[from], graph.nodes[to]].map((node) => node?.expected.durable.listed ?? 0);
      return (before ?? 0) > bounds.frames && (after ?? 0) > bounds.frames && (before ?? 0) < 10 && (after ?? 0) < 10;
    });

    expect(new Set(amid.map(({ event }) => event.type))).toEqual(
      new Set([
        ...["land", "reply", "listener.release", "hook.release", "stream.update", "stream.end"],
        ...["crash", "frames.damage", "reopen", "activate", "snapshot"],
      ]),
    );
  });
});
