/**
 * The agent as a process of its own, whose model is a fixture. Usage: agent-child.ts FOLDER FIXTURE FIRST_REQUEST BURSTS.
 * After so many bursts the model falls silent until it is aborted. What it is sent stands in FOLDER/contexts.jsonl.
 */
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { acpAgent, serveStdio } from "../../acp/index.ts";
import { readFixture } from "../../replay/fixture/read-file.ts";
import { replayModels } from "../../replay/play/replay.ts";

const [folder = "", path = "", first = "0", bursts = "Infinity"] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const whole = await readFixture(path);
const fixture = { ...whole, requests: whole.requests.slice(Number(first)) };
let played = 0;
const models = replayModels(fixture, {
  pace: async (_gap, signal) => {
    if (++played > Number(bursts))
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  },
});
const { provider = "", id = "" } = whole.requests[0]?.model ?? {};

serveStdio(
  acpAgent({
    folder,
    models: {
      ...models,
      streamSimple: (model, context, options) => {
        appendFileSync(join(folder, "contexts.jsonl"), `${JSON.stringify(context)}\n`);
        return models.streamSimple(model, context, options);
      },
    },
    model: { provider, modelId: id },
    hooks: { runTool: ({ name }) => ({ content: [{ type: "text", text: `${name} ran` }] }) },
  }),
);
