/** A process that is killed while its second tool call runs. Usage: mail-child.ts STORE SESSION FILE POLICY_JSON */
import { type FileStoreName, fileStoreNamed } from "../../storage/file-stores.ts";
import { openMailAgent } from "./mail.ts";

const [store = "", path = "", file = "", policy = "{}"] = process.argv.slice(2);
const lane = await openMailAgent(await fileStoreNamed(store as FileStoreName).open(path), {
  file,
  toolPolicy: JSON.parse(policy),
  look: () => {
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => {});
  },
});
if ((await lane.snapshot()).operation === null) await lane.accept({ prompt: "Send the mail" });
await lane.activate();
