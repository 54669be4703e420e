/** The tools that scripted responses call. */
import type { AgentHarnessTool, Context } from "@earendil-works/pi-agent-core";
import type { Surroundings } from "../adapter.ts";

/** One object for all boots: pi compiles a validator for each schema object that it meets. */
const parameters = { type: "object", properties: { n: { type: "number" } } };

/** The tools as pi has them declared. Like any good tool of pi's they heed their signal. */
export const piTools = (
  surroundings: Pick<Surroundings, "tools" | "runTool">,
): AgentHarnessTool<object | undefined>[] =>
  surroundings.tools.map(({ name, repeatable }) => ({
    name,
    label: name,
    description: "Answers with a text of the checker's.",
    parameters,
    replay: repeatable ? "safe" : "never",
    async execute(toolCallId, given, _onUpdate, _toolContext, _invocation, context) {
      const run = surroundings.runTool({ toolCallId, name, arguments: given as object });
      const text = await Promise.race([run, aborted(context)]);
      return { content: [{ type: "text", text }], details: undefined };
    },
  }));

function aborted({ abortSignal }: Context): Promise<never> {
  return new Promise((_, reject) => {
    abortSignal?.addEventListener("abort", () => reject(new Error("The tool was aborted")), { once: true });
  });
}
