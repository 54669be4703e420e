/** A process that opens the session named by its argument, says so, and lives until it is killed or told to close. */

import { appendList } from "../../storage/contract/writes.ts";
import { JsonlStorage } from "../../storage/jsonl/jsonl.ts";
import { words } from "./sessions.ts";

const [, , path = ""] = process.argv;
const storage = await JsonlStorage.open(path);
await storage.commit([appendList(words, "from the other process")]);
process.on("message", async () => {
  await storage.close();
  process.disconnect();
});
process.send?.("open");
