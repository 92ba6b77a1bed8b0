// The first file of the executable, instead of bin/authsvc.ts.
import type { run as runCommand } from "../cli/run.ts";
import { createChunkLoader } from "./chunks.ts";
import { filesOfExecutable } from "./files.ts";

const { run } = createChunkLoader(filesOfExecutable()).load("authsvc.js") as { run: typeof runCommand };
void run(process.argv, process).then((exitCode) => {
  process.exitCode = exitCode;
  // Skip the heap's teardown, which takes 5 ms. Failed commands need it to close databases, and
  // pending output must be written.
  const isWritten = process.stdout.writableLength === 0 && process.stderr.writableLength === 0;
  if (exitCode === 0 && isWritten) process.exit();
});
