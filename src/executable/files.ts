import { getAssetKeys, getRawAsset } from "node:sea";
import { Worker } from "node:worker_threads";
import type { ProgramFiles } from "../lib/program-files.ts";

/** The suffix of the file with a file's digest. */
export const digestEnding = ".sha256";

/**
 * The files in the executable. They are mapped into memory without copying: writing to one would
 * end the process.
 */
export function filesOfExecutable(): ProgramFiles {
  const paths = getAssetKeys();
  const workerOf = (path: string): string => {
    const { zstdDecompressSync } = process.getBuiltinModule("node:zlib");
    return zstdDecompressSync(read(`${path}.zst`)).toString("latin1");
  };
  const read = (path: string): Buffer => Buffer.from(getRawAsset(path));
  return {
    list: (folder) =>
      paths.filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + "/".length)),
    read,
    // Computed at build time: loading node:crypto would take 4 ms in each command.
    digest: (path) => read(`${path}${digestEnding}`).toString("latin1"),
    worker: (path) => new Worker(workerOf(path), { eval: true }),
    thread: (name, workerData) =>
      new Worker(workerOf("src/executable/thread-worker.ts"), { eval: true, workerData, argv: [name] }),
    command: [process.execPath],
  };
}
