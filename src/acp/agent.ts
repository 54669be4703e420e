/** A small agent for clients of the Agent Client Protocol, version 1: each session is one JSONL session file (P6). */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type AgentApp,
  type AgentConnection,
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import { JsonlStorage } from "../storage/jsonl/jsonl.ts";
import { type AcpHarnessOptions, AcpSession, type Tell } from "./session.ts";

/** Options of an agent. */
export interface AcpAgentOptions extends AcpHarnessOptions {
  /** The folder of the session files; made when it is not there. */
  folder: string;
  /** How the agent names itself. Default: `assistant-durability`. */
  name?: string;
  version?: string;
}

/** The only ids that this agent gives out; any other could name a file that is none of its sessions. */
const sessionId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The agent. `connect` it to a stream, or use `serveStdio`. It answers `session/new`, `session/load` (replays the
 * conversation in whole blocks), `session/resume` (does not), `session/prompt`, `session/cancel` and `session/close`.
 * It needs the package `@agentclientprotocol/sdk`.
 */
export function acpAgent(options: AcpAgentOptions): AgentApp {
  const { name = "assistant-durability", version = "0.1.0" } = options;
  const sessions = new OpenSessions(options);
  return agent({ name })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name, version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true },
        sessionCapabilities: { resume: {}, close: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, async ({ client }) => {
      const id = randomUUID();
      await sessions.open(id, client, "new");
      return { sessionId: id };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      await (await sessions.open(params.sessionId, client, "stored")).replay();
      return {};
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      await sessions.open(params.sessionId, client, "stored");
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params }) => {
      const session = sessions.get(params.sessionId);
      if (session.busy) throw RequestError.invalidRequest(undefined, "a prompt of this session is under way");
      return { stopReason: await session.prompt(params.prompt).catch(toRequestError) };
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      await sessions.close(params.sessionId);
      return {};
    })
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await sessions.get(params.sessionId).cancel();
    })
    .onConnect((connection) => void connection.closed.then(() => sessions.closeAll()));
}

/** Connects an agent to this process's standard input and output. Nothing else may write to the output. */
export function serveStdio(app: AgentApp): AgentConnection {
  const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
  const input = Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>;
  return app.connect(ndJsonStream(output, input));
}

class OpenSessions {
  readonly #options: AcpAgentOptions;
  readonly #open = new Map<string, AcpSession>();

  constructor(options: AcpAgentOptions) {
    this.#options = options;
  }

  get(id: string): AcpSession {
    const session = this.#open.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  }

  /** One that is open already is closed first: loading it again shows what is durable. */
  async open(id: string, client: AgentContext, kind: "new" | "stored"): Promise<AcpSession> {
    const { folder, name: _name, version: _version, ...options } = this.#options;
    const path = join(folder, `${id}.jsonl`);
    if (kind === "stored" && !(sessionId.test(id) && existsSync(path))) throw RequestError.sessionNotFound(id);
    await mkdir(folder, { recursive: true });
    await this.close(id);
    const tell: Tell = (update) => client.notify(methods.client.session.update, { sessionId: id, update });
    const session = await JsonlStorage.open(path)
      .then((storage) => AcpSession.open(storage, options, tell))
      .catch(toRequestError);
    this.#open.set(id, session);
    return session;
  }

  async close(id: string): Promise<void> {
    const session = this.#open.get(id);
    this.#open.delete(id);
    await session?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.close(id)));
  }
}

function toRequestError(error: unknown): never {
  if (error instanceof RequestError) throw error;
  throw RequestError.internalError(undefined, error instanceof Error ? error.message : String(error));
}
