/** The one tool that scripted responses call. */
import type { AgentHarnessTool, Context } from "@earendil-works/pi-agent-core";
import type { Surroundings } from "../adapter.ts";

const probeName = "probe";

/** One object for all boots: pi compiles a validator for each schema object that it meets. */
const parameters = { type: "object", properties: { n: { type: "number" } } };

/** Safe to replay, because the checker's runner has no effect; and like any good tool of pi's it heeds its signal. */
export function probeTool(surroundings: Pick<Surroundings, "runTools">): AgentHarnessTool<object | undefined> {
  return {
    name: probeName,
    label: "Probe",
    description: "Answers with a text of the checker's.",
    parameters,
    replay: "safe",
    async execute(toolCallId, _parameters, _onUpdate, _toolContext, _invocation, context) {
      const run = surroundings.runTools([{ toolCallId, name: probeName }]);
      const [text] = await Promise.race([run, aborted(context)]);
      if (text === undefined) throw new Error("The tool runner answered no text for its only call");
      return { content: [{ type: "text", text }], details: undefined };
    },
  };
}

function aborted({ abortSignal }: Context): Promise<never> {
  return new Promise((_, reject) => {
    abortSignal?.addEventListener("abort", () => reject(new Error("The tool was aborted")), { once: true });
  });
}
