/** What each command prints and with which exit code it ends, for users and their scripts. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { races, requirementIds, requirements } from "../../machines/index.ts";
import { cli, temporaryFolder } from "../testing/cli.ts";
import { prepareFolder, shellWord } from "./output.ts";

const small = ["--bounds", "small", "--workers", "1"] as const;

test("verify holds on the reference with exit code 0, and --race drives that row alone", async () => {
  const { code, stdout, stderr } = await cli("verify", ...small, "--race", "R7");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("✓ reference holds");
  expect(stdout).toMatch(/R7 .*holds/);
  expect(stdout).not.toMatch(/^ *R8 /m);
});

test("--reporter json without --out is JSON alone on stdout, with every field of the format", async () => {
  const { stdout } = await cli("verify", ...small, "--race", "R7", "--reporter", "json");
  const report = JSON.parse(stdout) as Record<string, unknown>;
  expect(report).toMatchObject({ version: 1, sut: { name: "reference" }, criterion: "rows", seed: 1, passed: true });
});

test("a budget that runs out is inconclusive, and no pass", async () => {
  const { code, stdout } = await cli("verify", ...small, "--criterion", "rows", "--budget", "1ms");
  expect(code).toBe(1);
  expect(stdout).toContain("is not decided");
});

test("races lists every row with both orders, and --json has the same rows", async () => {
  const pretty = await cli("races", "--bounds", "small");
  for (const { id, title } of races) expect(pretty.stdout).toMatch(new RegExp(`^${id} +${title}`, "m"));
  const { stdout } = await cli("races", "--bounds", "small", "--json");
  const { races: rows } = JSON.parse(stdout) as { races: { id: string; orders: { schedules: number }[] }[] };
  expect(rows.map(({ id }) => id)).toEqual(races.map(({ id }) => id));
  for (const { orders } of rows) for (const { schedules } of orders) expect(schedules).toBeGreaterThan(0);
});

test("trace names every requirement with what checks it, and holds", async () => {
  const { code, stdout } = await cli("trace");
  for (const id of requirementIds) expect(stdout).toMatch(new RegExp(`^ +${id} `, "m"));
  expect(stdout).toMatch(/^ +N1 +invariant/m);
  expect(stdout).toMatch(/^ +C7 +races .*; compares commits at the store/m);
  expect(stdout).toContain(" 0 unchecked");
  expect(code).toBe(0);
});

test("trace shows the requirements asked for in full: the sentence, the fields and the titles", async () => {
  const { code, stdout } = await cli("trace", "c7", "E4");
  expect(stdout).toContain(requirements.E4.slice(0, 40));
  expect(stdout).toContain("compared in model-tests/drive/comparisons.ts\n    commits at the store");
  expect(stdout).toContain(
    "src/harness/drive/recovery.test.ts\n    the synthetic response > [E4] without a start frame",
  );
  expect(stdout).not.toContain(requirements.E5.slice(0, 40));
  expect(code).toBe(0);
  expect(await cli("trace", "Z9")).toMatchObject({ code: 2, stderr: expect.stringContaining("no requirement Z9") });
});

test("trace --json has the same rows and the verdict", async () => {
  const { stdout } = await cli("trace", "--json");
  const { requirements: rows, ...verdict } = JSON.parse(stdout) as { requirements: { id: string }[] };
  expect(rows.map(({ id }) => id)).toEqual(requirementIds);
  expect(verdict).toEqual({ unchecked: [], stale: [], passed: true });
});

test("graph prints a diagram, an overview, and the reachable graph as JSON", async () => {
  expect((await cli("graph")).stdout).toContain("intent replied");
  expect((await cli("graph", "--overview")).stdout).toMatch(/^stateDiagram-v2\n/);
  const { stdout } = await cli("graph", "--format", "json", "--bounds", "small");
  const { nodes, edges } = JSON.parse(stdout) as { nodes: unknown[]; edges: { to: number }[] };
  expect(edges.every(({ to }) => nodes[to] !== undefined)).toBe(true);
});

test("numbered counterexamples of an earlier run are cleared away, other files stay", () => {
  const folder = temporaryFolder();
  for (const name of ["divergence-3.json", "mine.json", "divergence-x.json"]) writeFileSync(join(folder, name), "{}");
  prepareFolder(folder);
  expect(readdirSync(folder).sort()).toEqual(["divergence-x.json", "mine.json"]);
  expect(existsSync(folder)).toBe(true);
});

test("a path with blanks or quotes stands quoted in a printed command", () => {
  expect(shellWord("out/divergence-1.json")).toBe("out/divergence-1.json");
  expect(shellWord("my out/it's.json")).toBe(`'my out/it'\\''s.json'`);
});
