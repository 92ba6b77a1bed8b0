/** `npm run simulate -- --seed 4711 --hours 2 [--trace FILE]` (docs/reliability.md). */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { plant } from "./bugs.ts";

/** `--postgres` alone stands for a cluster of its own. */
const args = process.argv.slice(2).map((given, place, all) => {
  const isAlone = given === "--postgres" && (all[place + 1] ?? "--").startsWith("--");
  return isAlone ? "--postgres=" : given;
});
const { values } = parseArgs({
  args,
  options: {
    seed: { type: "string", default: "1" },
    seeds: { type: "string", default: "1" },
    hours: { type: "string", default: "1" },
    postgres: { type: "string" },
    trace: { type: "string" },
    bug: { type: "string" },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
if (values.bug !== undefined) plant(values.bug);
// Before virtual time begins.
const { clusterOf } = await import("./cluster.ts");
const cluster = await clusterOf(values.postgres);
const { simulate } = await import("./simulation.ts");
const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.seeds); seed += 1) {
  const before = process.cpuUsage();
  const result = await simulate(String(seed), Number(values.hours), cluster);
  const { user, system } = process.cpuUsage(before);
  const { violation, trace, calls, crashes, steps, reach, lines } = result;
  print(
    `seed ${seed}: ${calls} calls, ${steps} steps, ${crashes} crashes, ${((user + system) / 1e6).toFixed(1)} s, trace ${trace.slice(0, 16)}`,
  );
  if (values.trace !== undefined) writeFileSync(values.trace, `${lines.join("\n")}\n`);
  if (violation) {
    print(`${violation.oracle}: ${violation.message}`);
    print(`replay: npm run simulate -- --seed ${seed} --hours ${values.hours}`);
    print(lines.slice(-15).join("\n"));
    process.exitCode = 1;
    break;
  }
  if (seed === first) print(JSON.stringify(reach, null, 2));
}
