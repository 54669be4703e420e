/** Every relative link of every Markdown file leads to a file and, where it names one, to a heading. */
import { existsSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../package-root.ts";
import { anchors, relativeLinks } from "./links.ts";
import { filesEndingIn, textOf } from "./tracked-files.ts";

/** What is wrong with the link, if anything. */
function complaint(from: string, url: string): string | undefined {
  const [path = "", anchor] = decodeURI(url).split("#");
  const to = path === "" ? from : posix.join(dirname(from), path);
  const file = join(packageRoot(), to);
  if (!existsSync(file)) return `there is no ${to}`;
  if (anchor === undefined || anchor === "") return undefined;
  if (statSync(file).isDirectory() || !to.endsWith(".md")) return `${to} has no headings`;
  return anchors(textOf(to)).has(anchor) ? undefined : `${to} has no heading for #${anchor}`;
}

test("every relative link of the Markdown files leads somewhere", () => {
  const broken = filesEndingIn(".md").flatMap((from) =>
    relativeLinks(textOf(from)).flatMap(({ url, line }) => {
      const found = complaint(from, url);
      return found === undefined ? [] : [`${from}:${line}: ${url}: ${found}`];
    }),
  );
  expect(broken, "Correct each of these links").toEqual([]);
});

test("links are read from the syntax: code is no link, and a second heading of one name gets a number", () => {
  const text = "# A `b`\n\n[x](y.md#z)\n![p][q]\n\n`[no](no.md)` [far](https://x.example)\n\n[q]: p.svg\n\n# A b\n";
  expect(relativeLinks(text)).toEqual([
    { url: "y.md#z", line: 3 },
    { url: "p.svg", line: 8 },
  ]);
  expect([...anchors(text)]).toEqual(["a-b", "a-b-1"]);
});
