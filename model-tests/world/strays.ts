/** Errors that nobody awaits: a harness that leaks one would have ended its process. */

/** Call `onStray` for every unhandled rejection and uncaught exception until the returned function is called. */
export function watchStrays(onStray: (error: unknown) => void): () => void {
  process.on("unhandledRejection", onStray);
  process.on("uncaughtException", onStray);
  return () => {
    process.off("unhandledRejection", onStray);
    process.off("uncaughtException", onStray);
  };
}
