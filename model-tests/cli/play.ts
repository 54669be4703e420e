/** `durability play`: shows what a replay fixture holds. */
import { Command } from "commander";
import { DurabilityError, type Fixture, readFixture } from "../../src/index.ts";
import { UsageError } from "../errors.ts";
import { eventLines, fixtureText } from "../report/fixture-text.ts";
import type { CommandContext } from "./command.ts";
import { parseRequest } from "./options.ts";

interface Flags {
  readonly request?: number;
}

export function playCommand({ io }: CommandContext): Command {
  return new Command("play")
    .description("Shows a replay fixture: its requests, their times and ends, and when the bursts of each one came.")
    .argument("<fixture>", "a fixture file, compressed or not")
    .option("--request <n>", "show the events of this request, counted from 1", parseRequest)
    .action(async (path: string, { request }: Flags) => {
      const fixture = await read(path);
      if (request === undefined) {
        io.stdout(fixtureText(fixture, io));
        return;
      }
      const found = fixture.requests[request - 1];
      if (found === undefined)
        throw new UsageError(`--request ${request}: the fixture holds ${fixture.requests.length}.`);
      io.stdout(eventLines(found, io));
    });
}

async function read(path: string): Promise<Fixture> {
  try {
    return await readFixture(path);
  } catch (error) {
    if (error instanceof DurabilityError) throw new UsageError(`"${path}": ${error.message}.`);
    throw new UsageError(`Cannot read "${path}": ${(error as Error).message}. Name a fixture file.`);
  }
}
