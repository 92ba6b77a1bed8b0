import { getPriority } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { inOwnProcess } from "../support/own-process.ts";

const folder = join(import.meta.dirname, "../../src");
const isLinux = process.platform === "linux";

type Thread = { name: string; niceness: number };

/** The threads of a new process that has run this text. */
const threadsAfter = (text: string, environment: Record<string, string> = {}): Thread[] =>
  inOwnProcess(
    `import { readFileSync, readdirSync } from "node:fs";
    import { getPriority } from "node:os";
    const load = async (file) => await import(${JSON.stringify(folder)} + file);
    ${text}
    const threads = readdirSync("/proc/self/task").map((id) => ({
      name: readFileSync(\`/proc/self/task/\${id}/comm\`, "utf8").trim(),
      niceness: getPriority(Number(id)),
    }));
    console.log(JSON.stringify(threads));`,
    environment,
  ) as Thread[];

/** How many threads the pool of a new process has, once it has worked. */
function poolOf(concurrency: number, environment: Record<string, string> = {}): number {
  const text = `
    (await load("/credentials/passwords/thread-pool.ts")).sizeThreadPool(${concurrency});
    await (await import("node:fs/promises")).readFile("/proc/self/comm");`;
  return threadsAfter(text, environment).filter(({ name }) => name === "libuv-worker").length;
}

// Windows and macOS list no threads as files.
it.runIf(isLinux)("the pool has a thread for each hash, two more for a single one, or what the operator says", () => {
  expect(poolOf(3)).toBe(3);
  expect(poolOf(8)).toBe(8);
  expect(poolOf(1)).toBe(3);
  expect(poolOf(3, { UV_THREADPOOL_SIZE: "5" })).toBe(5);
});

// Windows and macOS list no threads as files.
it.runIf(isLinux)("the threads that hash give way to the one that answers", () => {
  const threads = threadsAfter(`
    const { createHasher } = await load("/credentials/passwords/hasher.ts");
    const { systemRandom } = await load("/lib/random.ts");
    const parameters = { memoryKiB: 64, iterations: 1, parallelism: 1, concurrency: 1, queueSize: 1 };
    await createHasher(parameters, systemRandom).hash("correct horse battery staple");`);
  const pool = threads.filter(({ name }) => name === "libuv-worker");
  expect(pool.length).toBeGreaterThan(0);
  for (const { niceness } of pool) expect(niceness).toBe(Math.min(getPriority() + 10, 19));
  for (const { name, niceness } of threads) if (name !== "libuv-worker") expect(niceness, name).toBe(getPriority());
});
