/** Which file imports which, types included, and the circles among their rooms. */
import { dirname, posix } from "node:path";
import { parseSync } from "vite";

export interface Import {
  readonly from: string;
  readonly to: string;
}

/** All that a module imports, exports from another and imports of types included. */
export function importedNames(path: string, text: string): readonly string[] {
  const { module } = parseSync(path, text, {});
  const names = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
    ...module.dynamicImports.map(({ moduleRequest }) => literal(text.slice(moduleRequest.start, moduleRequest.end))),
  ];
  return names.filter((name) => name !== undefined);
}

const literal = (expression: string): string | undefined => /^"([^"]*)"$/.exec(expression)?.[1];

export function importsOf(path: string, text: string): readonly Import[] {
  return importedNames(path, text)
    .filter((name) => name.startsWith("."))
    .map((name) => ({ from: path, to: posix.join(dirname(path), name) }));
}

/** The files of a folder are one room; where they stand beside folders (`src/errors.ts`), each is a room of its own. */
function roomsOf(imports: readonly Import[]): (path: string) => string {
  const folders = new Set(imports.flatMap(({ from, to }) => [dirname(from), dirname(to)]));
  const parents = new Set([...folders].map((folder) => dirname(folder)));
  return (path) => (parents.has(dirname(path)) ? path : dirname(path));
}

/** Rooms that import each other, directly or through others, with one import for each step of the circle. */
export function roomCircles(imports: readonly Import[]): readonly string[] {
  const roomOf = roomsOf(imports);
  const steps = new Map<string, Map<string, Import>>();
  for (const found of imports) {
    const [from, to] = [roomOf(found.from), roomOf(found.to)];
    if (from === to) continue;
    const next = steps.get(from) ?? new Map<string, Import>();
    steps.set(from, next.set(to, next.get(to) ?? found));
  }
  const circles = [...steps.keys()].flatMap((room) => shortestCircle(steps, room) ?? []);
  return [...new Set(circles.map(textOfCircle))].sort();
}

function shortestCircle(steps: ReadonlyMap<string, ReadonlyMap<string, Import>>, start: string) {
  const reached = new Set<string>();
  let roads: { readonly at: string; readonly road: readonly Import[] }[] = [{ at: start, road: [] }];
  while (roads.length > 0) {
    const longer = roads.flatMap(({ at, road }) =>
      [...(steps.get(at) ?? [])].map(([to, by]) => ({ at: to, road: [...road, by] })),
    );
    const back = longer.find(({ at }) => at === start);
    if (back !== undefined) return [back.road];
    roads = longer.filter(({ at }) => !reached.has(at) && reached.add(at));
  }
  return undefined;
}

/** The same text wherever in the circle the search began. */
function textOfCircle(circle: readonly Import[]): string {
  const lines = circle.map(({ from, to }) => `${from} -> ${to}`);
  const first = lines.indexOf([...lines].sort()[0] ?? "");
  return [...lines.slice(first), ...lines.slice(0, first)].join(", ");
}
