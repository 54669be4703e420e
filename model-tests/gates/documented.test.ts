/** Every public export says what it means. */
import { join } from "node:path";
import { API } from "typescript/unstable/sync";
import { expect, test } from "vitest";
import { packageRoot } from "../package-root.ts";

const root = packageRoot();

/** The names that an entry point exports without a doc comment where they are declared. */
function undocumented(entries: readonly string[]): readonly string[] {
  const api = new API({ cwd: root });
  try {
    const config = join(root, "tsconfig.json");
    const project = api.updateSnapshot({ openProject: config }).getProject(config);
    if (project === undefined) throw new Error(`No project ${config}`);
    const { checker, program } = project;
    return entries.flatMap((entry) => {
      const source = program.getSourceFile(join(root, entry));
      const module = source && checker.getSymbolAtLocation(source);
      if (module === undefined) throw new Error(`${entry} is no module`);
      const exported = checker.getExportsOfModule(module);
      if (exported.length === 0) throw new Error(`${entry} exports nothing`);
      return exported
        .filter((symbol) => checker.getDocumentationCommentOfSymbol(symbol) === "")
        .filter((symbol) => checker.getDocumentationCommentOfSymbol(checker.getAliasedSymbol(symbol)) === "")
        .map(({ name }) => `${entry}: ${name}`);
    });
  } finally {
    api.close();
  }
}

test.each(["src/index.ts", "machines/index.ts", "model-tests/index.ts"])(
  "every export of %s has a doc comment",
  (entry) => {
    expect(undocumented([entry]), "Say what each of these means, above its declaration").toEqual([]);
  },
);
