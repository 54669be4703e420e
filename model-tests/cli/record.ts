/** `durability record`: makes a replay fixture of what was captured elsewhere. */
import { readFileSync } from "node:fs";
import { Command } from "commander";
import {
  DurabilityError,
  encodeFixture,
  type Fixture,
  importSessionLog,
  importSse,
  type SseFormat,
} from "../../src/index.ts";
import { UsageError } from "../errors.ts";
import type { CommandContext } from "./command.ts";
import { type CaptureName, captureNames, parseCapture } from "./options.ts";
import { writeText } from "./output.ts";

interface Flags {
  readonly from: CaptureName;
  readonly out: string;
}

export function recordCommand({ io }: CommandContext): Command {
  return new Command("record")
    .description(
      "Makes a replay fixture of a recorded session log, or of one captured HTTP answer (curl -N ... > capture.sse). A harness\n" +
        "records its own streams with FixtureRecorder.",
    )
    .argument("<capture>", "the file to read")
    .requiredOption("--from <format>", `what the file is: ${captureNames.join(", ")}`, parseCapture)
    .requiredOption("--out <file>", "the fixture to write")
    .action(async (path: string, { from, out }: Flags) => {
      const fixture = await importFrom(path, from);
      writeText(out, encodeFixture(fixture));
      const events = fixture.requests.reduce((sum, request) => sum + request.events.length, 0);
      io.stdout(`${out}: ${fixture.requests.length} requests, ${events} events\n`);
    });
}

async function importFrom(path: string, from: CaptureName): Promise<Fixture> {
  const text = readCapture(path);
  try {
    return from === "session-log"
      ? importSessionLog(text)
      : await importSse(text, { format: from satisfies SseFormat });
  } catch (error) {
    if (error instanceof DurabilityError) throw new UsageError(`Cannot import "${path}": ${error.message}`);
    throw error;
  }
}

function readCapture(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`Cannot read "${path}": ${(error as Error).message}. Name a captured file.`);
  }
}
