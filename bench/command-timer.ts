// Runs a command several times and prints how long it took, in milliseconds, in the middle of them. A process of its own, as small as a shell: to start another
// process, the system copies what it knows of the memory of the one that asks, which takes 3 to 10 ms from a benchmark that holds thousands of logins.
// Arguments: how often, then the command line. Its environment is the command's.
import { spawnSync } from "node:child_process";
import { percentile } from "../src/benchmark/percentiles.ts";

const [runs, command = "", ...program] = process.argv.slice(2);
const took = Array.from({ length: Number(runs) }, () => {
  const began = performance.now();
  const { status, stderr } = spawnSync(command, program, { encoding: "utf8" });
  const milliseconds = performance.now() - began;
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return milliseconds;
});
console.log(percentile(took, 0.5));
