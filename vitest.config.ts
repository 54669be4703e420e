import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{machines,src,model-tests}/**/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "threads",
    // Generated schedules are all work and no waiting: one thread for each core.
    maxWorkers: "100%",
  },
});
