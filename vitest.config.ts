import { defineConfig } from "vitest/config";

const isCi = Boolean(process.env["CI"]);
const browserTests = "test/browser/**/*.test.ts";
const executableTests = "test/executable/**/*.test.ts";

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    setupFiles: ["./test/support/every-answer.ts"],
    // A .only that somebody forgot would hide every other test.
    allowOnly: !isCi,
    reporters: ["default", "./test/support/closing-line-reporter.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "server",
          include: ["test/**/*.test.ts"],
          exclude: [browserTests, executableTests],
          globalSetup: ["test/support/postgres-global-setup.ts"],
          // What is slow on a machine that does something else besides is not wrong.
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // One more than cores: a third of the time a test waits, for a clock, a disk or another process.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: [browserTests],
          globalSetup: ["test/support/postgres-global-setup.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          // One browser at a time, after everything else: a page that waits for its turn looks like a page that is broken.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          // The tests of the command line once more, with the one file that `npm run build` makes, and what concerns that file only.
          name: "executable",
          include: ["test/cli/**/*.test.ts", executableTests],
          env: { AUTHSVC_TEST_EXECUTABLE: `${import.meta.dirname}/dist/authsvc` },
          globalSetup: ["test/support/postgres-global-setup.ts", "test/support/executable-global-setup.ts"],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
