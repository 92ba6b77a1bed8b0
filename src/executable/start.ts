// The first file of the executable, in the place of bin/authsvc.ts.
import { createChunkLoader } from "./chunks.ts";

const { run } = createChunkLoader(import.meta.dirname).load("authsvc.js") as typeof import("../cli/run.ts");
void run(process.argv, process).then((exitCode) => {
  process.exitCode = exitCode;
});
