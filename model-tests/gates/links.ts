/** The relative links of a Markdown file, and the anchors of its headings as a code forge makes them. */
import Slugger from "github-slugger";
import { fromMarkdown } from "mdast-util-from-markdown";

type Node = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>["children"][number];

/** Every node below this one, itself included, in the order of the text. */
function nodesOf(node: Node): readonly Node[] {
  return "children" in node ? [node, ...(node.children as readonly Node[]).flatMap(nodesOf)] : [node];
}

/** Where the links, pictures and link definitions point that lead to a file here, with their lines. */
export function relativeLinks(text: string): readonly { readonly url: string; readonly line: number }[] {
  return nodesOf(fromMarkdown(text)).flatMap((node) =>
    "url" in node && !/^[a-z]+:/i.test(node.url) ? [{ url: node.url, line: node.position?.start.line ?? 0 }] : [],
  );
}

export function anchors(text: string): ReadonlySet<string> {
  const slugger = new Slugger();
  const headings = nodesOf(fromMarkdown(text)).filter(({ type }) => type === "heading");
  const own = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name]) => name ?? "");
  return new Set([...headings.map((heading) => slugger.slug(plainText(heading))), ...own]);
}

const plainText = (node: Node): string =>
  nodesOf(node)
    .map((inner) => (inner.type === "text" || inner.type === "inlineCode" ? inner.value : ""))
    .join("");
