// The thread of bcrypt.ts. `parentPort` is set in every worker.
import { parentPort } from "node:worker_threads";
import { compareSync } from "bcryptjs";
import { lowerThreadPriority } from "./thread-priority.ts";

export type BcryptQuestion = { id: number; password: string; hash: string };
export type BcryptAnswer = { id: number; isRight: boolean };

try {
  lowerThreadPriority();
} catch {
  // A sandbox may forbid it; hashes then compete with requests.
}
parentPort?.on("message", ({ id, password, hash }: BcryptQuestion) => {
  parentPort?.postMessage({ id, isRight: compareSync(password, hash) } satisfies BcryptAnswer);
});
