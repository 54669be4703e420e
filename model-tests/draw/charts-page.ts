/** Charts as Markdown: each under its title, in a fence that renders it. */
import type { Chart } from "./charts.ts";

export const mermaidFence = (text: string): string => `\`\`\`mermaid\n${text.trim()}\n\`\`\``;

export const chartsPage = (charts: readonly Chart[]): string =>
  charts.map(({ title, mermaid }) => `## ${title}\n\n${mermaidFence(mermaid)}\n`).join("\n");
