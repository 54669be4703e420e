/** `durability races`: the race table with what the graph makes of it. */
import { Command } from "commander";
import { type BoundsName, boundsByName, races } from "../../machines/index.ts";
import { explore } from "../explore/graph.ts";
import { planRace, type RacePlan, roadsOf } from "../generate/race-schedules.ts";
import { type RaceRow, raceTable } from "../report/race-table.ts";
import type { CommandContext } from "./command.ts";
import { boundsNames, parseBounds } from "./options.ts";

interface Flags {
  readonly bounds: BoundsName;
  readonly json?: true;
}

export function racesCommand({ io }: CommandContext): Command {
  return new Command("races")
    .description(
      "The race table: pairs of actions that may come in either order, or must not, in how many states they meet,\n" +
        "how many schedules drive each order, and what each order must lead to. Nothing is run.",
    )
    .option("--bounds <name>", `how far to explore: ${boundsNames.join(", ")}`, parseBounds, "default")
    .option("--json", "as JSON, for a program")
    .action(({ bounds, json }: Flags) => {
      const roads = roadsOf(explore(boundsByName[bounds]), new Set(), new Set());
      const rows = races.map((race) => rowOf(planRace(race, roads)));
      io.stdout(json ? `${JSON.stringify({ bounds, races: rows }, null, 2)}\n` : raceTable(rows, bounds, io));
    });
}

function rowOf({ race, enablingStates, crashPoints, schedules }: RacePlan): RaceRow {
  const labels = [race.first.label, race.second.label] as const;
  const order = (at: 0 | 1) => ({
    first: labels[at],
    second: labels[at === 0 ? 1 : 0],
    required: race.required[at].sentence,
    schedules: schedules.filter(({ races: [purpose] = [] }) => purpose?.order === at).length,
  });
  const { id, title, kind, requirements } = race;
  return { id, title, kind, requirements, enablingStates, orders: [order(0), order(1)], crashPoints };
}
