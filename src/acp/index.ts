/**
 * An agent for clients of the Agent Client Protocol (editors), on durable sessions. An entry point of its own, because it
 * needs the optional package `@agentclientprotocol/sdk`.
 */
export { type AcpAgentOptions, acpAgent, serveStdio } from "./agent.ts";
export { metaName, updatesOf } from "./blocks.ts";
export type { AcpHarnessOptions } from "./session.ts";
