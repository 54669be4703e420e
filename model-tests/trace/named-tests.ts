/** The titles of the tests in a file, read from its syntax: what a test is called counts, what it talks about does not. */
import { type ESTree, parseSync, Visitor } from "vite";
import { races, requirementIds } from "../../machines/index.ts";
import { idsInTitle } from "./trace.ts";

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The full titles of the tests that name a requirement, with the titles of the groups around them. A placeholder of a
 * table (`[%s] ...`) stays what it is and names nothing; a computed part of a title is shown as `…`.
 *
 * @throws {Error} when a title names an id that is neither a requirement nor a race row.
 */
export function namedTests({ path, text }: SourceFile): string[] {
  const groups: string[] = [];
  const titles: string[] = [];
  new Visitor({
    CallExpression(call) {
      const called = registration(call, path);
      if (called === undefined) return;
      if (called.kind === "group") groups.push(called.title);
      else titles.push([...groups, called.title].join(" > "));
    },
    "CallExpression:exit"(call) {
      if (registration(call, path)?.kind === "group") groups.pop();
    },
  }).visit(parseSync(path, text, { preserveParens: false }).program);
  return titles.filter((title) => namesRequirement(title, path));
}

const kinds: Readonly<Record<string, "group" | "test">> = { describe: "group", test: "test", it: "test" };

/** What the call registers, if it registers a test or a group of tests. */
function registration(call: ESTree.CallExpression, path: string) {
  const table = call.callee.type === "CallExpression" ? call.callee : undefined;
  const callee = table?.callee ?? call.callee;
  if (callee.type === "Identifier") return registered(callee, call);
  if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return undefined;
  if (kinds[callee.object.name] === undefined) return undefined;
  const variant = callee.property.type === "Identifier" ? callee.property.name : "";
  if (variant === "concurrent" && table === undefined) return registered(callee.object, call);
  // A variant that skips or that expects a failure would check nothing.
  if (variant !== "each") throw new Error(`${path}: a test by ${callee.object.name}.${variant} is not understood`);
  // `test.each(rows)` alone only makes the function that registers.
  return table === undefined ? undefined : registered(callee.object, call);
}

function registered({ name }: { readonly name: string }, call: ESTree.CallExpression) {
  const kind = kinds[name];
  return kind === undefined ? undefined : { kind, title: titleOf(call.arguments[0]) };
}

function titleOf(argument: ESTree.Argument | undefined): string {
  if (argument?.type === "Literal" && typeof argument.value === "string") return argument.value;
  if (argument?.type === "TemplateLiteral") return argument.quasis.map(({ value }) => value.cooked).join("…");
  return "…";
}

const known = new Set<string>([...requirementIds, ...races.map(({ id }) => id)]);

function namesRequirement(title: string, path: string): boolean {
  const ids = idsInTitle(title);
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw new Error(`${path}: the test "${title}" names ${unknown}, which is no requirement and no race row`);
  }
  return ids.some((id) => id in knownRequirements);
}

const knownRequirements = Object.fromEntries(requirementIds.map((id) => [id, true]));
