/** Whoever types a command wrongly reads one line that says how to mend it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { adapterModule, cli, temporaryFolder } from "../testing/cli.ts";

/** Wrong usage: exit code 2, nothing on stdout, and one line that says what and how to mend it. */
async function expectUsageError(argv: readonly string[], ...words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await cli(...argv);
  expect(stderr).toMatch(/^durability: [^\n]+\n$/);
  for (const word of words) expect(stderr).toContain(word);
  expect(stdout).toBe("");
  expect(code).toBe(2);
}

describe("wrong usage exits with 2 and says in one line how to mend it", () => {
  test.each<[string, readonly string[], ...string[]]>([
    ["no command", [], "verify, replay, races, trace, graph"],
    ["an unknown command", ["verfy"], "verfy"],
    ["an unknown flag", ["verify", "--sead", "1"], "--sead", "--seed"],
    ["a flag without its value", ["verify", "--seed"], "--seed"],
    ["an argument too many", ["verify", "reference"], "too many arguments"],
    ["an unknown system under test", ["verify", "--sut", "nowhere"], "nowhere", "pi-agent-core"],
    ["an empty system under test", ["verify", "--sut", ""], "--sut"],
    ["a command as system under test", ["verify", "--sut", "cmd: node x.js"], "not in this version"],
    ["an unknown store", ["verify", "--store", "redis"], "redis", "memory, jsonl, sqlite"],
    [
      "an unknown criterion",
      ["verify", "--criterion", "all"],
      "states, transitions, races, pairs, complete, walks, rows",
    ],
    ["a k beyond what can be driven", ["verify", "--k", "3"], "whole number from 0 to 2"],
    ["an unknown race", ["verify", "--race", "R4,R99"], "R99", "R4, R5"],
    ["an empty list of races", ["verify", "--race", ""], "--race"],
    ["unknown bounds", ["verify", "--bounds", "huge"], "small, default, deep"],
    ["a seed that is no number", ["verify", "--seed", "x1"], "--seed", "x1"],
    ["a negative seed", ["verify", "--seed=-1"], "--seed"],
    ["a budget without a unit", ["verify", "--budget", "60"], "60s"],
    ["a budget of nothing", ["verify", "--budget", "0s"], "--budget"],
    ["a share beyond the last", ["verify", "--shard", "4/3"], "4/3", "1/3"],
    ["a share that is none", ["verify", "--shard", "half"], "half"],
    ["no workers", ["verify", "--workers", "0"], "--workers"],
    ["an unknown reporter", ["verify", "--reporter", "xml"], "pretty, json"],
    ["a reporter of a later version", ["verify", "--reporter", "pretty,junit"], "not in this version"],
    ["two reporters on one terminal", ["verify", "--reporter", "pretty,json"], "--out"],
    ["an unknown machine", ["graph", "--machine", "lane"], "operation"],
    ["an unknown format", ["graph", "--format", "png"], "mermaid, json"],
    ["a format of a later version", ["graph", "--format", "svg"], "not in this version"],
    ["bounds for a diagram", ["graph", "--bounds", "small"], "--format json"],
    ["an unknown mutant", ["mutate", "--only", "nobody"], "nobody", "--list"],
    ["an unknown verdict", ["mutate", "--again", "dead"], "dead", "survived"],
    ["no file to replay", ["replay"], "file"],
  ])("%s", (_, argv, ...words) => expectUsageError(argv, ...words));

  test("an output folder that is a file", async () => {
    const file = join(temporaryFolder(), "taken");
    writeFileSync(file, "");
    await expectUsageError(["verify", "--out", file], file, "--out");
  });
});

describe("an adapter that cannot be used exits with 2 and one line", () => {
  const small = ["--bounds", "small", "--race", "R7", "--workers", "1"] as const;

  test.each<[string, string, ...string[]]>([
    ["throws at boot", `{ ...referenceAdapter, boot: async () => { throw new Error("no database") } }`, "no database"],
    ["has no adapter as its default export", `{ name: "half" }`, "default export"],
    [
      "answers nonsense",
      `{ ...referenceAdapter, boot: async (s) => ({ ...(await referenceAdapter.boot(s)), accept: async () => "perhaps" }) }`,
      "perhaps",
    ],
    [
      "answers no promise",
      `{ ...referenceAdapter, boot: async (s) => ({ ...(await referenceAdapter.boot(s)), accept: () => "ok" }) }`,
      "no promise",
    ],
    [
      "never comes to rest after boot",
      `{ ...referenceAdapter, boot: async (s) => {
        const spin = () => { void s.storage.getValue({ namespace: "x", key: "" }).catch(() => {}); setImmediate(spin); };
        spin();
        return referenceAdapter.boot(s);
      } }`,
      "come to rest",
    ],
  ])("that %s", (_, expression, ...words) =>
    expectUsageError(["verify", "--sut", adapterModule(expression), ...small], ...words),
  );

  test("a module that is no module", async () => {
    await expectUsageError(["verify", "--sut", adapterModule("{ ("), ...small], "cannot be loaded");
  });
});

describe("help", () => {
  test("explains itself with examples, on stdout", async () => {
    const { code, stdout, stderr } = await cli("--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const word of ["Examples:", "verify", "replay", "races", "trace", "graph", "Exit codes"]) {
      expect(stdout).toContain(word);
    }
  });

  test.each(["verify", "replay", "races", "trace", "graph", "crash", "mutate"])(
    "of %s names its flags",
    async (command) => {
      const { code, stdout } = await cli(command, "--help");
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: durability ${command}`);
    },
  );

  test("the version is the package's", async () => {
    const { code, stdout } = await cli("--version");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
