// Prints the median milliseconds of a command: ARGUMENTS are the runs, then the command line. A
// small process, because forking one with thousands of logins takes 3 to 10 ms.
import { spawnSync } from "node:child_process";
import { percentile } from "../src/upkeep/benchmark/percentiles.ts";

const [runs, command = "", ...program] = process.argv.slice(2);
const took = Array.from({ length: Number(runs) }, () => {
  const began = performance.now();
  const { status, stderr } = spawnSync(command, program, { encoding: "utf8" });
  const milliseconds = performance.now() - began;
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return milliseconds;
});
console.log(percentile(took, 0.5));
