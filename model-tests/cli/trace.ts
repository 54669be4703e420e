/** `durability trace`: which checks serve which requirement. */
import { Command } from "commander";
import { type RequirementId, requirementIds } from "../../machines/index.ts";
import { UsageError } from "../errors.ts";
import { storedEvidence } from "../trace/stored-evidence.ts";
import { traceDetail, traceText } from "../trace/text.ts";
import { type Evidence, isInOrder, traceFindings, traceRows, type Unserved } from "../trace/trace.ts";
import { unserved } from "../trace/unserved.ts";
import { type CommandContext, exitCodes } from "./command.ts";

/** What the command judges. */
export interface Traced {
  readonly evidence: Evidence;
  readonly unserved: Unserved;
}

export function traceCommand({ io, exit }: CommandContext, traced?: Traced): Command {
  return new Command("trace")
    .description(
      "For every requirement of the specification what checks it: invariants, race rows, compared fields, named tests.\n" +
        "Fails when nothing checks one that is not on the list of those not served yet, or when one on it is checked.",
    )
    .argument("[ids...]", "show these requirements in full: C7 E4")
    .option("--json", "as JSON, for a program")
    .action((ids: string[], { json }: { readonly json?: true }) => {
      const wanted = ids.map(parseId);
      const all = traceRows(traced?.evidence ?? storedEvidence(), traced?.unserved ?? unserved);
      const rows = wanted.length === 0 ? all : all.filter(({ id }) => wanted.includes(id));
      const findings = traceFindings(rows);
      const passed = isInOrder(findings);
      if (json) io.stdout(`${JSON.stringify({ requirements: rows, ...findings, passed }, null, 2)}\n`);
      else io.stdout(wanted.length === 0 ? traceText(rows, io) : rows.map((row) => traceDetail(row, io)).join("\n"));
      if (!passed) exit(exitCodes.failed);
    });
}

function parseId(id: string): RequirementId {
  const known = requirementIds.find((one) => one === id.toUpperCase());
  if (known === undefined) throw new UsageError(`There is no requirement ${id}. "durability trace" lists them all.`);
  return known;
}
