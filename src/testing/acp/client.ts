/** The SDK's own client over the standard input and output of an agent process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type ClientConnection,
  type ClientContext,
  client,
  type InitializeResponse,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";

const script = fileURLToPath(new URL("./agent-child.ts", import.meta.url));

/** An agent process and what it has told. */
export class AgentProcess {
  readonly updates: SessionUpdate[] = [];
  readonly agent: ClientContext;
  readonly #process: ChildProcess;
  readonly #connection: ClientConnection;
  #onUpdate: () => void = () => {};

  constructor(folder: string, fixture: string, { first = 0, bursts = Number.POSITIVE_INFINITY } = {}) {
    const args = ["--import", "tsx", script, folder, fixture, String(first), String(bursts)];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#process = child;
    const app = client({ name: "test" }).onNotification(methods.client.session.update, ({ params }) => {
      this.updates.push(params.update);
      this.#onUpdate();
    });
    const input = Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>;
    this.#connection = app.connect(ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, input));
    this.agent = this.#connection.agent;
  }

  initialize(): Promise<InitializeResponse> {
    return this.agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  }

  prompt(sessionId: string, text: string) {
    return this.agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] });
  }

  load(sessionId: string) {
    return this.agent.request(methods.agent.session.load, { sessionId, cwd: "/", mcpServers: [] });
  }

  async newSession(): Promise<string> {
    await this.initialize();
    return (await this.agent.request(methods.agent.session.new, { cwd: "/", mcpServers: [] })).sessionId;
  }

  /** Resolves when so many updates were told. */
  told(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#onUpdate = () => {
        if (this.updates.length >= count) resolve();
      };
      this.#onUpdate();
    });
  }

  /** Ends the process as a power cut does, or by closing its input. */
  async end(how: "kill" | "close"): Promise<void> {
    const closed = once(this.#process, "close");
    if (how === "kill") this.#process.kill("SIGKILL");
    else this.#process.stdin?.end();
    await closed;
    this.#connection.close();
  }
}
