/** An agent whose model sends a mail and then looks at something: what it does to the world is a line in a file for each call. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { AssistantMessage, ToolCall } from "@earendil-works/pi-ai";
import { openHarness } from "../../harness/harness.ts";
import type { Lane } from "../../harness/lane.ts";
import type { RunToolInput, ToolOutcome, ToolPolicy } from "../../harness/options.ts";
import { Session } from "../../session/session.ts";
import type { Storage } from "../../storage/contract/storage.ts";
import { assistant, beginning, done, FakeProvider } from "./fakes.ts";

const calls = ["mail", "look"].map((name): ToolCall => ({ type: "toolCall", id: `call-${name}`, name, arguments: {} }));

/** Asks for both calls until it has seen a result, then says so. */
class MailProvider extends FakeProvider {
  override streamSimple(...asked: Parameters<FakeProvider["streamSimple"]>) {
    const stream = super.streamSimple(...asked);
    const seen = asked[1].messages.some(({ role }) => role === "toolResult");
    const answer: AssistantMessage = seen
      ? assistant("done")
      : assistant("", { stopReason: "toolUse", content: calls });
    void this.last.push(...beginning("").slice(0, 1), done(answer));
    return stream;
  }
}

export interface MailOptions {
  /** What every call leaves a line in. */
  readonly file: string;
  readonly toolPolicy: Partial<ToolPolicy>;
  /** What looking comes to. */
  look(input: RunToolInput): ToolOutcome | Promise<ToolOutcome>;
}

/** Opens the agent over a store. */
export async function openMailAgent(storage: Storage, { file, toolPolicy, look }: MailOptions): Promise<Lane> {
  const runTool = (input: RunToolInput) => {
    appendFileSync(file, `${input.name}\n`);
    return input.name === "look" ? look(input) : { content: [{ type: "text" as const, text: "sent" }] };
  };
  const harness = await openHarness({
    session: new Session(storage),
    models: new MailProvider(),
    model: { provider: "fake", modelId: "small" },
    hooks: { runTool },
    toolPolicy,
  });
  return harness.lane("main");
}

/** How often a call of this tool took effect. */
export function effectsOf(file: string, name: string): number {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line === name).length
    : 0;
}
