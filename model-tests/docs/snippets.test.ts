/** Compiles the code of the written pages, runs what can be run, and looks for every command and path that they name. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newProgram } from "../cli/run-cli.ts";
import { packageRoot } from "../package-root.ts";
import { type Quoted, quotedOf, type Snippet, snippetsOf, supportOf, writtenPages } from "./snippets.ts";

const root = packageRoot();
const snippets = writtenPages.flatMap(snippetsOf);
const inLanguage = (language: string): readonly Snippet[] =>
  snippets.filter((snippet) => snippet.language === language);
const folders = new Map<string, string>();

/** One folder for each page, in which its snippets are modules beside the files that they import. */
beforeAll(() => {
  for (const page of writtenPages) {
    const folder = mkdtempSync(join(tmpdir(), "durability-snippets-"));
    folders.set(page, folder);
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(compilerFor(), null, 2));
    for (const { name, code } of supportOf(page)) writeFileSync(join(folder, name), code);
  }
  for (const snippet of inLanguage("ts")) writeFileSync(fileOf(snippet), padded(snippet));
});

afterAll(() => {
  for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
});

/** The package as its reader would have it installed, straight from the sources. */
function compilerFor(): object {
  const sources = { "": "src", "/acp": "src/acp", "/machines": "machines", "/model-tests": "model-tests" };
  const paths = Object.entries(sources).map(([entry, folder]) => [
    `assistant-durability${entry}`,
    [join(root, folder, "index.ts")],
  ]);
  return {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { noUnusedLocals: false, typeRoots: ["./node_modules/@types"], paths: Object.fromEntries(paths) },
    include: ["*.ts"],
  };
}

const folderOf = (page: string): string => folders.get(page) as string;
const fileOf = ({ page, line }: Snippet): string => join(folderOf(page), `line-${line}.ts`);
/** Each line where it stands on the page, so that an error names the line of the page. */
const padded = ({ line, code }: Snippet): string => "\n".repeat(line - 1) + code;
const at = ({ page, line }: { page: string; line: number }): string => `${page}:${line}`;

const pagesWithCode = [...new Set(inLanguage("ts").map(({ page }) => page))];

test.each(pagesWithCode)("the TypeScript of %s compiles", (page) => {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", "."], { cwd: folderOf(page), encoding: "utf8" });
  expect(stdout).toBe("");
});

/** What a page makes up for its reader, such as a harness, cannot be run. */
const runnable = inLanguage("ts").filter(({ code }) => !/ from "\.\//.test(code));

test.each(runnable.map((snippet) => [at(snippet), snippet] as const))("the TypeScript at %s runs", (_at, snippet) => {
  const args = ["--import", "tsx", fileOf(snippet)];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folderOf(snippet.page), encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test.each(inLanguage("json").map((snippet) => [at(snippet), snippet.code]))("the JSON at %s parses", (_at, code) => {
  expect(() => JSON.parse(code)).not.toThrow();
});

const shellLines = inLanguage("sh").flatMap(({ page, line, code }) =>
  code.split("\n").flatMap((text, offset) =>
    text
      .replace(/(^| )#.*$/, "")
      .split("&&")
      .map((command) => ({ page, line: line + offset, text: command.trim() }))
      .filter(({ text: command }) => command !== ""),
  ),
);

test.each(shellLines.map(({ text, ...place }) => [text, at(place)]))(
  "`%s` (%s) is a command that exists",
  async (text) => {
    expect(await problemOf(text.split(/\s+/))).toBeUndefined();
  },
);

const quoted = writtenPages.flatMap(quotedOf);
const quotedCommands = quoted.filter(({ text }) => /^(npm (run|test|ci)|npx|durability)( |$)/.test(text));

test.each(quotedCommands.map((command) => [command.text, at(command), command] as const))(
  "`%s` (%s) names commands and flags that exist",
  async (text) => expect(await problemOf(text.split(/\s+/))).toBeUndefined(),
);

const { scripts, name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly name: string;
  readonly version: string;
};
/** What `npm pack` makes. */
const packed = `${name}-${version}.tgz`;

/** What is wrong with a command, if anything. */
async function problemOf(words: readonly string[]): Promise<string | undefined> {
  const [program, ...args] = words.filter((word) => !/^[A-Z_]+=/.test(word));
  if (program === "git" || program === "cd" || program === "mkdir") return undefined;
  if (program === "durability") return durabilityProblem(args);
  if (program === "npx") return npxProblem(args);
  if (program === "npm") return npmProblem(args);
  if (program === "node") return fileProblem(args.filter((arg) => arg.endsWith(".ts")));
  return `Who knows the program ${program}?`;
}

function npxProblem([tool, ...args]: readonly string[]): Promise<string | undefined> | string | undefined {
  if (tool === "durability") return durabilityProblem(args);
  if (tool === "tsc" || tool === "biome") return undefined;
  if (tool === "tsx" || tool === "vitest") return fileProblem(args.filter((arg) => /[./]/.test(arg)).slice(0, 1));
  return `npx ${tool} is none of this project's tools`;
}

function npmProblem([verb = "", ...args]: readonly string[]): Promise<string | undefined> | string | undefined {
  if (verb === "ci" || verb === "publish" || verb === "version" || verb === "pack") return undefined;
  if (verb === "test") return undefined;
  if (verb === "install") return args.find((arg) => !/^-|^tsx$/.test(arg) && !arg.endsWith(`/${packed}`));
  if (verb !== "run") return `npm ${verb} is none of this project's commands`;
  const [script = "", ...rest] = args.filter((arg) => arg !== "--" && arg !== "--silent");
  if (script === "") return undefined;
  if (scripts[script] === undefined) return `package.json has no script "${script}"`;
  return script === "durability" ? durabilityProblem(rest) : undefined;
}

const placeholder = /\b[A-Z]{3,}\b/;

function fileProblem(files: readonly string[]): string | undefined {
  return files.find((file) => !placeholder.test(file) && !existsSync(join(root, file)));
}

/** Parses the words as the program would, and does nothing. */
async function durabilityProblem(args: readonly string[]): Promise<string | undefined> {
  if (args.length === 0 || args[0] === "ARGS" || args[0] === "--help") return undefined;
  const io = {
    stdout: () => {},
    stderr: () => {},
    colour: false,
    width: 100,
    showsProgress: false,
    program: "durability",
  };
  const program = newProgram({ io, exit: () => {} });
  for (const command of program.commands) command.action(() => {});
  // A command that is only named.
  if (args.length === 1 && program.commands.some((command) => command.name() === args[0])) return undefined;
  const filledIn = args.map((arg, at) => (arg === "NAME" && args[at - 1] === "--store" ? "jsonl" : arg));
  return program.parseAsync(filledIn, { from: "user" }).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const isPath = ({ text }: Quoted): boolean => /^(machines|src|model-tests|docs|examples)\/[\w./-]*$/.test(text);
const known = new Set(execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n"));
const paths = quoted.filter((word) => isPath(word) && !placeholder.test(word.text));

test.each(paths.map((path) => [path.text, at(path)]))("`%s` (%s) is a file or a folder of this project", (path) => {
  const folder = path.endsWith("/") ? path : `${path}/`;
  expect([...known].some((file) => file === path || file.startsWith(folder))).toBe(true);
});
