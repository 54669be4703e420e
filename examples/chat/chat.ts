/**
 * A chat in the terminal whose answers survive `kill -9`: run it, kill it in the middle of an answer, run it again.
 * Usage: chat.ts SESSION_FILE [MS_PER_WORD] [WORDS], where the provider falls silent for ever after so many words.
 */
import { createInterface } from "node:readline";
import type { AssistantMessage, Message } from "@earendil-works/pi-ai";
import { type HarnessEvent, JsonlStorage, type Lane, observeStorage, openHarness, Session } from "assistant-durability";
import { scriptedProvider } from "./provider.ts";

const [file, msPerWord = "150", words = "Infinity"] = process.argv.slice(2);
if (file === undefined) throw new Error("Usage: chat.ts SESSION_FILE [MS_PER_WORD] [WORDS]");

// Says which frames have reached the disk. A chat does not need this; it is here to show what happens.
const storage = observeStorage(await JsonlStorage.open(file), ({ outcome, writes }) => {
  const frames = writes.filter(({ kind, op }) => kind === "list" && op === "append");
  if (outcome === "landed" && frames.length > 0) console.log(`  (durable: frame ${frames[0]?.seq})`);
});
const harness = await openHarness({
  session: new Session(storage),
  models: scriptedProvider(Number(msPerWord), Number(words)),
  model: { provider: "example", modelId: "scripted" },
  retryPolicy: { maxAttempts: 2, baseDelayMs: 0 },
  onEvent: show,
});
const lane = await harness.lane("main");

console.log(`To kill this process: kill -9 ${process.pid}`);
await resume(lane);
const input = createInterface({ input: process.stdin });
console.log("Type a line.");
for await (const prompt of input) {
  if (prompt.trim() === "") continue;
  await lane.accept({ prompt });
  await lane.activate();
  console.log("Type a line.");
}
await harness.close();

/** Shows what the session holds, and goes on with the answer that a crash has interrupted. */
async function resume(lane: Lane): Promise<void> {
  const { transcript, operation } = await lane.snapshot();
  for (const entry of transcript) if (entry.type === "message") console.log(line(entry.message));
  if (operation === null) return;
  console.log(`interrupted after: ${textOf(operation.streamingMessage)}`);
  await lane.activate();
}

function show(event: HarnessEvent): void {
  if (event.type === "message_update" && event.event.type === "text_delta") console.log(`> ${event.event.delta}`);
  // Only an entry proves that a message is durable.
  if (event.type === "entry_added" && event.entry.type === "message") console.log(line(event.entry.message));
}

function line(message: Message): string {
  if (message.role !== "assistant") return `you: ${String(message.content)}`;
  return `${message.stopReason === "error" ? "partial" : "answer"}: ${textOf(message)}`;
}

function textOf(message: AssistantMessage | undefined): string {
  return (message?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
}
