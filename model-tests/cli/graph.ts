/** `durability graph`: the machine as a state diagram, or its reachable graph as data. */
import { Command } from "commander";
import { type BoundsName, boundsByName } from "../../machines/index.ts";
import { chartsOf } from "../draw/charts.ts";
import { chartsPage } from "../draw/charts-page.ts";
import { overviewOf } from "../draw/overview.ts";
import { UsageError } from "../errors.ts";
import { explore } from "../explore/graph.ts";
import type { CommandContext } from "./command.ts";
import { boundsNames, type MachineName, machineNames, parseBounds, parseGraphFormat, parseMachine } from "./options.ts";

interface Flags {
  readonly machine: MachineName;
  readonly format: "mermaid" | "json";
  readonly bounds?: BoundsName;
  readonly overview?: true;
}

export function graphCommand({ io }: CommandContext): Command {
  return new Command("graph")
    .description(
      "Print the machine as state diagrams, one a place (Mermaid in Markdown), or every reachable state and transition\n(JSON).",
    )
    .option("--machine <name>", `which machine: ${machineNames.join(", ")}`, parseMachine, "operation")
    .option("--format <name>", "mermaid, json", parseGraphFormat, "mermaid")
    .option(
      "--bounds <name>",
      `for json, how far to explore: ${boundsNames.join(", ")} (default: default)`,
      parseBounds,
    )
    .option("--overview", "for mermaid, only the places of the lifecycle")
    .addHelpText("after", examples)
    .action((flags: Flags) => io.stdout(graphText(flags)));
}

const examples = `
Examples:
  $ durability graph --overview > lifecycle.mmd
  $ durability graph > charts.md
  $ durability graph --format json --bounds small | jq '.nodes | length'`;

/** Polling is a machine of its own, which the operation machine contains at this path. */
const deferredPlace = "up.deferred";

function graphText({ machine, format, bounds, overview }: Flags): string {
  if (format === "mermaid") {
    if (bounds !== undefined) throw new UsageError("--bounds goes with --format json: a state diagram has no bounds.");
    const graph = explore(boundsByName.default);
    const place = machine === "deferred" ? deferredPlace : undefined;
    return overview ? overviewOf(graph, place) : chartsPage(chartsOf(graph, place));
  }
  if (machine !== "operation")
    throw new UsageError("--format json explores the operation machine, with all its parts.");
  if (overview) throw new UsageError("--overview goes with --format mermaid.");
  const graph = explore(boundsByName[bounds ?? "default"]);
  const nodes = graph.nodes.map(({ index, path, resting, expected }) => ({ index, path, resting, expected }));
  return `${JSON.stringify({ machine, bounds: graph.bounds, nodes, edges: graph.edges }, null, 1)}\n`;
}
