import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

/** Reads the program's own files by their path in the project: `migrations/sqlite/0001_….sql`. */
export type ProgramFiles = {
  /** The names of the files in a folder. */
  list(folder: string): string[];
  /** Throws if the file does not exist. Do not modify the returned buffer. */
  read(path: string): Buffer;
  /** The SHA-256 of a migration as hex. */
  digest(path: string): string;
  /** Starts a worker thread of the program: `src/…-worker.ts`. */
  worker(path: string): Worker;
  /** Starts a thread that shares the program's modules: `src/process/NAME.ts`. */
  thread(name: string, workerData: unknown): Worker;
  /** What starts the program, and its first arguments. */
  command: [file: string, ...args: string[]];
};

export function filesBelow(folder: string): ProgramFiles {
  return {
    list: (below) => readdirSync(join(folder, below)),
    read: (path) => readFileSync(join(folder, path)),
    digest: (path) => hash("sha256", readFileSync(join(folder, path))),
    worker: (path) => new Worker(join(folder, path)),
    thread: (name, workerData) => new Worker(join(folder, `src/process/${name}.ts`), { workerData }),
    command: [process.execPath, "--disable-sigusr1", join(folder, "bin/authsvc.ts")],
  };
}

/**
 * The files of the project folder. The executable replaces this by its embedded files
 * (scripts/build/bundle.ts).
 */
export const programFiles = filesBelow(join(import.meta.dirname, "../.."));
