/** A user replays the counterexample that `durability verify` has written, and is told when it cannot be. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, brokenAdapter, cli, temporaryFolder } from "../testing/cli.ts";

const folder = join(temporaryFolder(), "a report");
let verified: Answer;

beforeAll(async () => {
  const sut = brokenAdapter(`cancel: async () => "refused"`);
  verified = await cli("verify", "--sut", sut, "--bounds", "small", "--race", "X12", "--workers", "1", "--out", folder);
});

/** The arguments of a printed command, as a shell would split them. */
const argumentsIn = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? (plain as string));

/** The first replay command that the report prints. */
function printedReplay(): string[] {
  const [, command] = /^ *replay +npx durability (.+)$/m.exec(verified.stdout) ?? [];
  expect(command).toBeDefined();
  return argumentsIn(command as string);
}

describe("what a report prints can be run again", () => {
  test("a broken implementation fails with exit code 1", () => {
    expect(verified.code).toBe(1);
    expect(verified.stderr).toBe("");
    expect(verified.stdout).toContain("✗ Divergence 1 of");
  });

  test("the printed command shows the same divergence, step by step", async () => {
    const [, expected, actual] = /expected +(.+)\n +actual +(.+)\n/.exec(verified.stdout) ?? [];
    const { code, stdout } = await cli(...printedReplay());
    expect(code).toBe(1);
    expect(stdout).toContain("✗ the divergence shows");
    expect(stdout).toMatch(new RegExp(`expected +${expected}\n +actual +${actual}\n`));
    expect(stdout).toMatch(/1 +accept/);
  });

  test("on a healthy implementation it does not show, exit code 0", async () => {
    const { code, stdout } = await cli(...printedReplay(), "--sut", "reference");
    expect(stdout).toContain("✓ the divergence does not show");
    expect(code).toBe(0);
  });

  test.each(["jsonl", "sqlite"])("a counterexample that names the %s store is replayed on it", async (store) => {
    const found = JSON.parse(readFileSync(join(folder, "divergence-1.json"), "utf8")) as object;
    const file = join(temporaryFolder(), "counterexample.json");
    writeFileSync(file, JSON.stringify({ ...found, store }));
    const { code, stdout } = await cli("replay", file);
    expect(stdout).toContain("✗ the divergence shows");
    expect(code).toBe(1);
  });

  test("the JSON report stands beside the counterexamples", () => {
    const report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as { passed: boolean };
    expect(report.passed).toBe(false);
  });
});

describe("a counterexample that cannot be replayed exits with 2 and one line", () => {
  const good = (): Record<string, unknown> =>
    JSON.parse(readFileSync(join(folder, "divergence-1.json"), "utf8")) as Record<string, unknown>;
  const written = (text: string): string => {
    const file = join(temporaryFolder(), "counterexample.json");
    writeFileSync(file, text);
    return file;
  };
  const folderInstead = (): string => {
    const path = join(temporaryFolder(), "folder.json");
    mkdirSync(path);
    return path;
  };

  test.each<[string, () => string, string]>([
    ["is missing", () => join(folder, "gone.json"), "Cannot read"],
    ["is a folder", folderInstead, "Cannot read"],
    ["is not JSON", () => written("accept > land"), "is not JSON"],
    ["is other JSON", () => written("null"), "is not a counterexample"],
    ["is of another version", () => written(JSON.stringify({ ...good(), version: 2 })), "version 2"],
    ["has unknown bounds", () => written(JSON.stringify({ ...good(), bounds: "wide" })), "wide"],
    ["lacks its schedule", () => written(JSON.stringify({ ...good(), schedule: undefined })), "lacks a part"],
    ["names an unknown store", () => written(JSON.stringify({ ...good(), store: "redis" })), "redis"],
    [
      "was found on another machine",
      () => written(JSON.stringify({ ...good(), machine: { name: "operation", digest: "0000000000000000" } })),
      "another machine",
    ],
    [
      "has a step that is not enabled",
      () => written(JSON.stringify({ ...good(), schedule: ["accept", "reopen"] })),
      "not enabled",
    ],
  ])("because it %s", async (_, file, words) => {
    const { code, stdout, stderr } = await cli("replay", file());
    expect(stderr).toMatch(/^durability: [^\n]+\n$/);
    expect(stderr).toContain(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});
