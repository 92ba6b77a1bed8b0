import { readFileSync, readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { expect, it } from "vitest";
import { systemRandom } from "../../src/lib/random.ts";
import { createHasher } from "../../src/passwords/hasher.ts";

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
