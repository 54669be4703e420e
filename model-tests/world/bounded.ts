/** A bound in real time for what must answer by itself: it only ever ends a run that would hang. */

// Captured before any fake timers.
const { setTimeout, clearTimeout } = globalThis;

const limitMs = 30_000;

/** `promise`, or an error that names `what` when it has not settled after half a minute. */
export async function bounded<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} has not answered within ${limitMs / 1_000} s`)), limitMs);
  });
  try {
    return await Promise.race([promise, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
