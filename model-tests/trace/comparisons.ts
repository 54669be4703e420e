/** Which observed fields a module of the checker compares on behalf of which requirement, read from its syntax. */
import { type ESTree, parseSync, Visitor, type VisitorObject } from "vite";
import { type RequirementId, requirementIds } from "../../machines/index.ts";
import type { SourceFile } from "./named-tests.ts";

type Comparisons = Partial<Record<RequirementId, string[]>>;

/**
 * Every `mismatch(requirement, field, ...)`, and every message about an anomaly, `A4: the store refused ...`. One that
 * reports a broken invariant compares nothing of its own.
 *
 * @throws {Error} when a mismatch names no requirement.
 */
export function comparisonsIn({ path, text }: SourceFile): Comparisons {
  const found: Comparisons = {};
  const scopes = new Scopes();
  const note = (id: RequirementId, field: string): void => {
    const fields = found[id] ?? [];
    found[id] = fields;
    if (!fields.includes(field)) fields.push(field);
  };
  const message = (words: string): void => {
    const [, id, what] = words.match(/^([A-Z]\d+): (.+)$/) ?? [];
    if (isRequirement(id) && what !== undefined) note(id, what);
  };
  new Visitor({
    ...scopes.visitor,
    Literal: ({ value }) => typeof value === "string" && message(value),
    TemplateLiteral: (literal) => message(wordsOf(literal)),
    CallExpression({ callee, arguments: [requirement, field], start }) {
      if (callee.type !== "Identifier" || callee.name !== "mismatch") return;
      if (field?.type === "Literal" && field.value === "invariant") return;
      const ids = scopes.stringsIn(requirement).filter(isRequirement);
      if (ids.length === 0) throw new Error(`${path}: the mismatch at ${start} names no requirement`);
      for (const id of ids) for (const words of fieldsOf(field, text)) note(id, words);
    },
  }).visit(parseSync(path, text, { preserveParens: false }).program);
  return found;
}

const ids = new Set<string>(requirementIds);
const isRequirement = (text: string | undefined): text is RequirementId => text !== undefined && ids.has(text);

const wordsOf = ({ quasis }: ESTree.TemplateLiteral): string => quasis.map(({ value }) => value.cooked).join("…");

function fieldsOf(field: ESTree.Argument | undefined, text: string): string[] {
  if (field === undefined) return [];
  if (field.type === "Literal") return [String(field.value)];
  if (field.type === "TemplateLiteral") return [wordsOf(field)];
  if (field.type === "ConditionalExpression") {
    return [...fieldsOf(field.consequent, text), ...fieldsOf(field.alternate, text)];
  }
  return [text.slice(field.start, field.end)];
}

/** The constants of the functions that are being visited, the innermost last. */
class Scopes {
  readonly #scopes: Map<string, ESTree.Expression>[] = [new Map()];

  /** To be spread into a visitor; functions are the scopes. */
  get visitor(): VisitorObject {
    const enter = (): void => void this.#scopes.push(new Map());
    const leave = (): void => void this.#scopes.pop();
    return {
      FunctionDeclaration: enter,
      "FunctionDeclaration:exit": leave,
      FunctionExpression: enter,
      "FunctionExpression:exit": leave,
      ArrowFunctionExpression: enter,
      "ArrowFunctionExpression:exit": leave,
      VariableDeclarator: ({ id, init }) => {
        if (id.type === "Identifier" && init !== null) this.#scopes.at(-1)?.set(id.name, init);
      },
    };
  }

  /** The strings that an expression may have as its value, as far as constants tell. */
  stringsIn(expression: ESTree.Argument | undefined): string[] {
    switch (expression?.type) {
      case "Literal":
        return typeof expression.value === "string" ? [expression.value] : [];
      case "Identifier":
        return this.stringsIn(this.#constant(expression.name));
      case "ConditionalExpression":
        return [...this.stringsIn(expression.consequent), ...this.stringsIn(expression.alternate)];
      case "LogicalExpression":
        return [...this.stringsIn(expression.left), ...this.stringsIn(expression.right)];
      case "MemberExpression":
        return this.#membersOf(expression.object);
      default:
        return [];
    }
  }

  #membersOf(object: ESTree.Expression | ESTree.Super): string[] {
    const constant = object.type === "Identifier" ? this.#constant(object.name) : undefined;
    if (constant?.type !== "ObjectExpression") return [];
    return constant.properties.flatMap((member) => (member.type === "Property" ? this.stringsIn(member.value) : []));
  }

  #constant(name: string): ESTree.Expression | undefined {
    return this.#scopes.findLast((scope) => scope.has(name))?.get(name);
  }
}
