/** The promises that callers hold. All that are open reject together when the session ends (K1, K2). */
export class OpenCalls {
  readonly #open = new Set<(reason: Error) => void>();
  #ended: Error | undefined;

  /** Runs one call. Its promise settles with the work, or rejects at once when the session ends before. */
  track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise<T>((resolve, reject) => {
      this.#open.add(reject);
      work().then(
        (value) => {
          this.#open.delete(reject);
          resolve(value);
        },
        (error: unknown) => {
          this.#open.delete(reject);
          reject(error);
        },
      );
    });
  }

  /** Rejects all open calls, and every later one. */
  end(reason: Error): void {
    this.#ended = reason;
    for (const reject of this.#open) reject(reason);
    this.#open.clear();
  }
}
