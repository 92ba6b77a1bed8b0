import { spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemRandom } from "../../src/lib/random.ts";
import { createHasher } from "../../src/passwords/hasher.ts";

const module = join(import.meta.dirname, "../../src/config/thread-pool.ts");

/** How many threads the pool of a new process has, once it has worked. */
function threadsOf(concurrency: number, environment: Record<string, string> = {}): number {
  const program = `
    const { sizeThreadPool } = await import(${JSON.stringify(module)});
    sizeThreadPool(${concurrency});
    const { readFile } = await import("node:fs/promises");
    const { readFileSync, readdirSync } = await import("node:fs");
    await readFile("/proc/self/comm");
    const names = readdirSync("/proc/self/task").map((id) => readFileSync(\`/proc/self/task/\${id}/comm\`, "utf8").trim());
    console.log(names.filter((name) => name === "libuv-worker").length);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    env: environment,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return Number(stdout);
}

it.runIf(process.platform === "linux")(
  "the pool has a thread for each hash, two at least, or what the operator says",
  () => {
    expect(threadsOf(3)).toBe(3);
    expect(threadsOf(8)).toBe(8);
    expect(threadsOf(1)).toBe(2);
    expect(threadsOf(3, { UV_THREADPOOL_SIZE: "5" })).toBe(5);
  },
);

const parameters = { memoryKiB: 64, iterations: 1, parallelism: 1, concurrency: 1, queueSize: 1 };

it("the threads that hash give way to the one that answers, where threads have priorities", async () => {
  await createHasher(parameters, systemRandom).hash("correct horse battery staple");
  const isLinux = process.platform === "linux";
  const threads = isLinux ? readdirSync("/proc/self/task") : [];
  const named = threads.map((id) => ({
    name: readFileSync(`/proc/self/task/${id}/comm`, "utf8").trim(),
    niceness: getPriority(Number(id)),
  }));
  const pool = named.filter(({ name }) => name === "libuv-worker");
  expect(pool.length > 0).toBe(isLinux);
  for (const { niceness } of pool) expect(niceness).toBe(Math.min(getPriority() + 10, 19));
  for (const { name, niceness } of named) if (name !== "libuv-worker") expect(niceness, name).toBe(getPriority());
});
