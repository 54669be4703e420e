/** A complete suite leaves a certificate behind, and the command that checks it finds what is cut out of it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { boundsByName } from "../../machines/index.ts";
import type { Certificate } from "../certify/certificate.ts";
import { explore } from "../explore/graph.ts";
import { cli, temporaryFolder } from "../testing/cli.ts";
import { digestOf } from "../verify/counterexample.ts";

test("a file that is no certificate is refused in one line", async () => {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries({ "a.json": "{", "b.json": "{}", "c.json": '{"kind":"other"}' })) {
    writeFileSync(join(folder, name), text);
    expect(await cli("certificate", join(folder, name))).toMatchObject({ code: 2, stdout: "" });
  }
  expect(await cli("certificate", join(folder, "none.json"))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("cannot be read"),
  });
});

test("a certificate of another machine is refused, and one with no runs is not complete", async () => {
  const file = join(temporaryFolder(), "certificate.json");
  const digest = digestOf(explore(boundsByName.small));
  const empty: Certificate = {
    kind: "assistant-durability certificate",
    version: 1,
    machine: { name: "operation", digest },
    bounds: "small",
    sut: "sample",
    store: "memory",
    k: 0,
    access: [],
    leftOut: [],
    runs: [],
  };
  writeFileSync(file, JSON.stringify({ ...empty, machine: { name: "operation", digest: "0" } }));
  expect(await cli("certificate", file)).toMatchObject({ code: 2, stderr: expect.stringContaining("another machine") });
  writeFileSync(file, JSON.stringify(empty));
  const { code, stdout } = await cli("certificate", file);
  expect(code).toBe(1);
  expect(stdout).toContain("✗ not complete for k = 0");
  expect(readFileSync(file, "utf8")).toContain("certificate");
});
