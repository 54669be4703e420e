/** `durability certificate`: checks what a complete suite has left behind, without the generator of suites. */
import { readFileSync } from "node:fs";
import { Command } from "commander";
import { boundsByName } from "../../machines/index.ts";
import { parseCertificate } from "../certify/certificate.ts";
import { type Checked, checkCertificate } from "../certify/check.ts";
import { count, plural } from "../draw/layout.ts";
import { UsageError } from "../errors.ts";
import { explore } from "../explore/graph.ts";
import { digestOf } from "../verify/counterexample.ts";
import { type CommandContext, exitCodes } from "./command.ts";
import { parseBounds } from "./options.ts";

/** Gaps beyond these have the same cause more often than not. */
const shown = 10;

export function certificateCommand({ io, exit }: CommandContext): Command {
  return new Command("certificate")
    .description("Check a certificate that `durability verify --criterion complete --out DIR` has written.")
    .argument("<file>", "certificate.json")
    .configureHelp({ showGlobalOptions: false })
    .action((file: string) => {
      const certificate = parseCertificate(read(file), file);
      const graph = explore(boundsByName[parseBounds(certificate.bounds)]);
      if (certificate.machine.digest !== digestOf(graph)) {
        throw new UsageError(`${file} speaks of another machine. Run "durability verify" again.`);
      }
      const checked = checkCertificate(graph, certificate);
      io.stdout(textOf(checked, `${certificate.sut} on the ${certificate.store} store`));
      if (checked.missing.length > 0) exit(exitCodes.failed);
    });
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`${file} cannot be read.`);
  }
}

function textOf({ k, missing, ...counts }: Checked, subject: string): string {
  const lines = [
    `${plural(counts.runs, "run")} of ${subject}, ${count(counts.traces)} series of inputs from the access paths of ${plural(counts.states, "state")}`,
    `${plural(counts.toldApart, "pair")} of states that look alike are told apart; ${count(counts.inseparable)} cannot be told apart by inputs that both offer`,
    `${plural(counts.leftOut, "transition")} left out`,
  ];
  const gaps = missing.slice(0, shown).map((gap) => `  · ${gap}`);
  const more = missing.length > shown ? [`  · and ${count(missing.length - shown)} more`] : [];
  const verdict =
    missing.length === 0 ? [`✓ complete for k = ${k}`] : [`✗ not complete for k = ${k}:`, ...gaps, ...more];
  return `${[...lines, ...verdict].join("\n")}\n`;
}
