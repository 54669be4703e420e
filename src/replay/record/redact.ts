/** Keeps secrets out of a fixture: what is known to be one is masked wherever a provider repeats it. */

/** Shorter values are words, not secrets: masking them would only spoil the recording. */
const shortestSecret = 8;

/** Headers whose values anybody may see. */
const publicHeaders = /^(accept|accept-encoding|cache-control|connection|content-type|user-agent)$/i;

/** Members whose values are words of the format. */
const formatWords: ReadonlySet<string> = new Set(["type", "role", "kind", "call", "reason", "stopReason"]);

/** Members below which the names of members come from the model or the host. */
const freeNames: ReadonlySet<string> = new Set(["arguments", "details", "data", "source"]);

/** Masks with as many characters, so that lengths and places stay what they were. */
export class Redactor {
  readonly #secrets = new Set<string>();

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) this.#learn(secret);
  }

  /** Learns the secrets of one request: its key, headers and environment, and the headers of its model. */
  learn(model: unknown, options: unknown): void {
    const { apiKey, env, headers } = (options ?? {}) as Record<string, unknown>;
    for (const value of [apiKey, ...valuesOf(env)]) this.#learn(value);
    for (const given of [headers, (model as { headers?: unknown } | undefined)?.headers]) {
      for (const value of valuesOf(given, publicHeaders)) this.#learn(value);
    }
  }

  /** The value with every secret in its strings masked; the same value when there is none. */
  clean<T>(value: T): T {
    return this.#secrets.size === 0 ? value : (this.#cleaned(value, false) as T);
  }

  #learn(value: unknown): void {
    if (typeof value !== "string") return;
    // A header often names its scheme before the secret, and a provider may repeat a part of it.
    for (const part of [value, value.replace(/^\S+\s/, ""), ...value.split(/\s+/)]) {
      if (part.length < shortestSecret) continue;
      this.#secrets.add(part);
      // As it stands in the JSON of a tool call.
      this.#secrets.add(JSON.stringify(part).slice(1, -1));
    }
  }

  #cleaned(value: unknown, free: boolean): unknown {
    if (typeof value === "string") return this.#masked(value);
    if (Array.isArray(value)) return value.map((member) => this.#cleaned(member, free));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => this.#cleanedMember(name, member, free)));
  }

  #cleanedMember(name: string, member: unknown, free: boolean): [string, unknown] {
    if (free) return [this.#masked(name), this.#cleaned(member, true)];
    return [name, formatWords.has(name) ? member : this.#cleaned(member, freeNames.has(name))];
  }

  #masked(text: string): string {
    let masked = text;
    // The longest first: one secret may be part of another.
    for (const secret of [...this.#secrets].sort((a, b) => b.length - a.length)) {
      if (masked.includes(secret)) masked = masked.replaceAll(secret, "*".repeat(secret.length));
    }
    return masked;
  }
}

function valuesOf(given: unknown, except?: RegExp): unknown[] {
  if (typeof given !== "object" || given === null) return [];
  return Object.entries(given).flatMap(([name, value]) => (except?.test(name) ? [] : [value]));
}
