import { globSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/support/longest-first.ts";

// Tests start the program hundreds of times. Node keeps what it compiled, so that a start takes a third of the time.
process.env["NODE_COMPILE_CACHE"] = `${import.meta.dirname}/node_modules/.cache/compile`;

const isCi = Boolean(process.env["CI"]);
const browserTests = "test/browser/**/*.test.ts";
const executableTests = "test/executable/**/*.test.ts";
/** Several nodes, other platforms, faults: what takes minutes. `npm run test:long` runs these, and CI does. */
const longTests = ["test/nodes", "test/long", "test/faults"].map((folder) => `${folder}/**/*.test.ts`);
/** `npm test` tries a thousand inputs, `npm run test:long` ten thousand. */
const malformedInputs = "test/security/malformed-inputs.test.ts";
const databaseServer = "test/support/postgres-global-setup.ts";
/** After the server: a contributor's memory holds what tests write, not what a server does. */
const inMemory = [databaseServer, "test/support/memory-folder-global-setup.ts"];
/** Of what starts the executable: it is built once for all projects. */
const executable = "test/support/executable-global-setup.ts";
const commandTests = "test/cli/**/*.test.ts";
const longCommands = "test/cli/**/*.long.test.ts";
/** `npm test` runs these on the executable as well; `npm run test:long` runs the others on it. */
const commandsOnExecutable = ["test/cli/conventions.test.ts"];
/** Only `npm run test:long` runs these: processes that are killed or stopped, clocks that are waited for. */
const longFiles = "test/**/*.long.test.ts";
/** Every block of the documentation, in processes of its own. */
const documentedCommands = "test/docs/commands.test.ts";
/** `npm run test:long` runs these again: on the other database, and with all rows of their tables. */
const runAgain = globSync("test/{cli,console,http,security,browser}/**/*.test.ts", { cwd: import.meta.dirname }).filter(
  (file) =>
    /\b(?:describeSqliteFirst\(|describeEachPlace\(|dialectsOfCommands\(|sampled\(|isLongRun\b)/u.test(
      readFileSync(`${import.meta.dirname}/${file}`, "utf8"),
    ),
);

/** What builds executables, and what measures this machine: latencies, processor time. */
const alone = [
  "test/long/{builds,other-platforms,release,released}.test.ts",
  "test/long/{million-users,refusal-time}.test.ts",
  "test/nodes/revocations.test.ts",
];

const onExecutable = {
  env: { AUTHSVC_TEST_EXECUTABLE: `${import.meta.dirname}/dist/authsvc` },
  globalSetup: [...inMemory, executable],
  testTimeout: 240_000,
  hookTimeout: 240_000,
  maxWorkers: 3,
};

/**
 * Of `npm run test:long`: one more than cores, as half of the time these wait, and one group, so that no project waits
 * for the last file of another. Their bounds on time hold on a busy machine.
 */
const besideOthers = {
  testTimeout: 240_000,
  hookTimeout: 240_000,
  maxWorkers: 3,
  sequence: { groupOrder: 3 },
};

export default defineConfig({
  test: {
    environment: "node",
    pool: "forks",
    // Files share a worker's modules: importing them anew for each file took half of the processor
    // time. No module of the project keeps state.
    isolate: false,
    setupFiles: ["./test/support/every-answer.ts", "./test/support/time-of-file.ts"],
    // A condition may take long on a busy machine: this only ends what hangs.
    expect: { poll: { timeout: 30_000 } },
    // A .only that somebody forgot would hide every other test.
    allowOnly: !isCi,
    // Thousands of tests use real clocks, servers and browsers. A third failure is a fault; one that does not come
    // again is listed at the end of the run, and has to be repaired as well.
    retry: isCi ? 2 : 0,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "./test/support/times-reporter.ts", "./test/support/closing-line-reporter.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "server",
          include: ["test/**/*.test.ts"],
          exclude: [browserTests, executableTests, documentedCommands, longFiles, ...longTests],
          globalSetup: inMemory,
          // A test is not wrong because the machine is busy: this only ends what hangs.
          testTimeout: 240_000,
          hookTimeout: 240_000,
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
          exclude: [longFiles],
          globalSetup: inMemory,
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // After everything else, one for each core. All of a worker's files share its browser.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...onExecutable,
          name: "executable",
          include: [executableTests, ...commandsOnExecutable],
          exclude: [longFiles],
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          ...besideOthers,
          name: "long-server",
          include: [longFiles, ...runAgain],
          // On the executable.
          exclude: [longCommands, executableTests],
          env: { AUTHSVC_TEST_LONG_RUN: "1" },
          globalSetup: [...inMemory, executable],
        },
      },
      {
        extends: true,
        test: {
          ...besideOthers,
          name: "long",
          include: [...longTests, malformedInputs, documentedCommands],
          exclude: alone,
          // On a real disk, also when another project runs in memory.
          env: { AUTHSVC_FUZZ_INPUTS: "10000", TMPDIR: tmpdir() },
          globalSetup: [databaseServer, executable, "test/support/sdk-global-setup.ts"],
          testTimeout: 900_000,
        },
      },
      {
        extends: true,
        test: {
          ...besideOthers,
          name: "long-threads",
          // What a serving process with SQLite promises when something fails, with two HTTP threads.
          include: [
            "test/faults/{*-kills,kills,stops,full-disk,read-only-disk,machine-limits}.test.ts",
            "test/faults/{black-holes,dns,soak,unwritable-output}.test.ts",
            // A sample of calls: what threads answer, and what they pass on.
            "test/http/contract/{callback,cors,logout,query-endpoints,rate-limits,refresh,routes,scopes,tokens}.test.ts",
            "test/http/{dpop/bindings,dpop/proofs,dpop/resources,errors/http,errors/order,errors/hostile-bodies}.test.ts",
            "test/http/{openid/discovery,openid/userinfo,users/api,users/profile}.test.ts",
            "test/http/forward-auth/{doors,sign-in}.test.ts",
          ],
          env: { AUTHSVC_TEST_THREADS: "2", TMPDIR: tmpdir() },
          globalSetup: [databaseServer, executable],
          execArgv: [`--import=${import.meta.dirname}/test/support/threads-clock.mjs`],
          testTimeout: 900_000,
        },
      },
      {
        extends: true,
        test: {
          ...besideOthers,
          ...onExecutable,
          name: "long-executable",
          include: [commandTests, "test/executable/**/*.long.test.ts"],
          exclude: commandsOnExecutable,
        },
      },
      {
        extends: true,
        test: {
          name: "long-alone",
          include: alone,
          env: { TMPDIR: tmpdir() },
          globalSetup: [databaseServer, executable],
          testTimeout: 900_000,
          hookTimeout: 240_000,
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
