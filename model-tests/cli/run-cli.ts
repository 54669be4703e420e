/** Parses the command line, runs one command, and turns whatever happens into an exit code. */
import { Command, CommanderError } from "commander";
import { AdapterError, NoQuiescence, UsageError } from "../errors.ts";
import { packageVersion } from "../package-root.ts";
import { benchCommand } from "./bench.ts";
import { certificateCommand } from "./certificate.ts";
import { type CommandContext, exitCodes } from "./command.ts";
import { crashCommand } from "./crash.ts";
import { graphCommand } from "./graph.ts";
import type { Io } from "./io.ts";
import { mergeCommand } from "./merge.ts";
import { mutateCommand } from "./mutate.ts";
import { playCommand } from "./play.ts";
import { racesCommand } from "./races.ts";
import { recordCommand } from "./record.ts";
import { replayCommand } from "./replay.ts";
import { traceCommand } from "./trace.ts";
import { verifyCommand } from "./verify.ts";

const commands = [
  verifyCommand,
  replayCommand,
  racesCommand,
  traceCommand,
  mergeCommand,
  certificateCommand,
  graphCommand,
  crashCommand,
  mutateCommand,
  benchCommand,
  recordCommand,
  playCommand,
] as const;

const examples = `
Examples:
  $ durability verify                            check this project's own implementation
  $ durability verify --sut pi-agent-core        check pi's published harness
  $ durability verify --race R4,X1 --bounds small
  $ durability replay durability-report/divergence-1.json
  $ durability races                             which races exist, and what each order must lead to
  $ durability crash --kills 200                 kill processes, and look for what is lost

Exit codes: 0 all held; 1 a divergence or a loss, or nothing was checked; 2 wrong usage or unreadable input; 3 a bug of the checker.`;

export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  let code: number = exitCodes.held;
  const context: CommandContext = {
    io,
    exit: (value) => {
      code = value;
    },
  };
  try {
    await newProgram(context).parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    return explain(error, io);
  }
}

/** The whole program, for whoever wants to know its commands and flags. */
export function newProgram(context: CommandContext): Command {
  const program = new Command("durability")
    .description(
      "Checks an implementation of durable assistant streaming against an executable specification:\n" +
        "it generates the schedules that the specification allows, drives the implementation through\n" +
        "them one controlled step at a time, and shows the shortest schedule at which the two part.",
    )
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "explain a command")
    .helpCommand("help [command]", "explain a command")
    .addHelpText("after", examples);
  for (const add of commands) program.addCommand(add(context));
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => context.io.stdout(text),
      // The one line about a mistake is written below, for every kind of mistake alike.
      writeErr: () => {},
      outputError: () => {},
    });
  }
  return program;
}

const noCommand =
  'No command. Give one of verify, replay, races, trace, graph, crash, bench; "durability --help" explains them.';

function explain(error: unknown, io: Io): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exitCodes.held;
    return usage(io, error.code === "commander.help" ? noCommand : commanderMessage(error));
  }
  if (error instanceof UsageError) return usage(io, error.message);
  if (error instanceof AdapterError) return usage(io, `${error.message} (mend the adapter)`);
  if (error instanceof NoQuiescence) return usage(io, `After boot ${error.message} (mend the adapter)`);
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.stderr(`This is a bug of the checker, not of what it checks. Please report it with these lines:\n${stack}\n`);
  return exitCodes.internal;
}

function usage(io: Io, message: string): number {
  io.stderr(`durability: ${message.replace(/\s*\n\s*/g, " ").trim()}\n`);
  return exitCodes.usage;
}

function commanderMessage({ message }: CommanderError): string {
  const text = message.replace(/^error: /, "").replace(/\s*\n\s*/g, " ");
  return `${text}${/[.)]$/.test(text) ? "" : "."} See "durability --help", or "durability COMMAND --help".`;
}
