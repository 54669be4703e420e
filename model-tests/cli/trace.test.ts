/** `durability trace` as a user runs it: its verdict, and the list of what nothing checks. */
import { describe, expect, test } from "vitest";
import { type RequirementId, requirementIds } from "../../machines/index.ts";
import { storedEvidence } from "../trace/stored-evidence.ts";
import type { Unserved } from "../trace/trace.ts";
import { unserved } from "../trace/unserved.ts";
import { exitCodes } from "./command.ts";
import { type Traced, traceCommand } from "./trace.ts";

/** Nothing in the sources checks anything; what the machines check remains. */
const evidence = storedEvidence();
const withoutSources: Traced = { evidence: { namedTests: {}, comparisons: {} }, unserved: {} };

async function trace(traced: Traced, ...argv: readonly string[]) {
  let stdout = "";
  let code: number = exitCodes.held;
  const io = {
    stdout: (text: string) => {
      stdout += text;
    },
    stderr: () => {},
    colour: false,
    width: 100,
    showsProgress: false,
    program: "npx durability",
  };
  const context = {
    io,
    exit: (value: number) => {
      code = value;
    },
  };
  await traceCommand(context, traced).parseAsync([...argv], { from: "user" });
  return { code, stdout };
}

describe("durability trace", () => {
  test("holds on this project", async () => {
    expect(await trace({ evidence, unserved })).toMatchObject({ code: exitCodes.held });
  });

  test("fails when nothing checks a requirement, and names it", async () => {
    const { code, stdout } = await trace(withoutSources);
    expect(code).toBe(exitCodes.failed);
    expect(stdout).toMatch(/^Nothing checks A1, .*B1/m);
  });

  test("fails when a requirement on the list of the unserved is checked, and names it", async () => {
    const stale = { ...unserved, E4: "later" } satisfies Unserved;
    const { code, stdout } = await trace({ evidence, unserved: stale });
    expect(code).toBe(exitCodes.failed);
    expect(stdout).toContain("take E4 off");
  });

  test("of chosen requirements judges these alone", async () => {
    expect(await trace(withoutSources, "N1", "K3")).toMatchObject({ code: exitCodes.held });
    expect(await trace(withoutSources, "N1", "A1")).toMatchObject({ code: exitCodes.failed });
  });

  test("as JSON has the verdict too", async () => {
    const { code, stdout } = await trace(withoutSources, "--json");
    const { requirements, unchecked, passed } = JSON.parse(stdout) as {
      requirements: { id: RequirementId; checked: boolean }[];
      unchecked: RequirementId[];
      passed: boolean;
    };
    expect(requirements.map(({ id }) => id)).toEqual(requirementIds);
    expect(unchecked).toEqual(requirements.filter(({ checked }) => !checked).map(({ id }) => id));
    expect({ code, passed }).toEqual({ code: exitCodes.failed, passed: false });
  });
});

describe("the list of the unserved", () => {
  test("gives a reason for each", () => {
    for (const reason of Object.values(unserved)) expect(reason).toMatch(/^\S.{10,}[^.]$/);
  });
});
