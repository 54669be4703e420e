#!/usr/bin/env node
/** The binary `durability`. */

import { exitCodes } from "./command.ts";
import { processIo } from "./io.ts";
import { runCli } from "./run-cli.ts";

// A reader that has seen enough, such as `head`, closes the pipe: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  throw error;
});

// Nothing is left to do and no answer came: a promise of the adapter never settles.
process.once("beforeExit", () => {
  process.stderr.write("durability: the adapter never answers (boot, most likely); every call must settle.\n");
  process.exit(exitCodes.usage);
});

process.exitCode = await runCli(process.argv.slice(2), processIo());
// An adapter may leave timers or handles behind; they must not keep the program alive.
process.stdout.write("", () => process.exit());
