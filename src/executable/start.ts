// The first file of the executable, in the place of bin/authsvc.ts.
import type { run as runCommand } from "../cli/run.ts";
import { createChunkLoader } from "./chunks.ts";
import { filesOfExecutable } from "./files.ts";

const { run } = createChunkLoader(filesOfExecutable()).load("authsvc.js") as { run: typeof runCommand };
void run(process.argv, process).then((exitCode) => {
  process.exitCode = exitCode;
  // Taking the heap apart piece by piece takes 5 ms. It is what closes the databases of a command that broke off, though, and what is still being
  // written must arrive.
  const isWritten = process.stdout.writableLength === 0 && process.stderr.writableLength === 0;
  if (exitCode === 0 && isWritten) process.exit();
});
