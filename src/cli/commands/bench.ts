import type { Benchmark, Figure } from "../../upkeep/benchmark/measure.ts";
import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { wholeNumberFrom } from "../input/values.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { facts } from "../output/text.ts";
import { version } from "../version.ts";

const titles: Record<Figure["figure"], string> = {
  argon2: "password hash",
  validate: "GET /auth/validate",
  refresh: "POST /auth/refresh",
  "sign-in": "full password sign-in",
};

export function addBench(program: CliCommand, cli: Cli): void {
  program
    .command("bench")
    .description(
      "benchmark this machine: password hashes with the configured parameters; validate, refresh and complete password sign-ins of a temporary service on SQLite",
    )
    .option("--seconds <number>", "seconds for each of the six measurements (default: 2)", wholeNumberFrom(1, 60))
    .examples("authsvc bench", "authsvc bench --seconds 10 --json > bench.json")
    .action(async ({ seconds = 2 }: { seconds?: number }) => {
      const { config } = await cli.configure();
      let interrupted = false;
      cli.handleInterrupt(() => {
        if (interrupted) cli.io.exit(exitCodes.interrupted);
        interrupted = true;
      });
      const { measure, numberOfFigures } = await import("../../upkeep/benchmark/measure.ts");
      await cli.note(`Measuring for about ${numberOfFigures * seconds + 3} seconds.`);
      const measured = await measure(config, { seconds, isStopping: () => interrupted });
      if (interrupted) return cli.endWith(exitCodes.interrupted);
      await cli.result({ version, ...measured }, textOf(measured, cli.screen()));
      if (config.database.url !== undefined)
        await cli.note("The benchmark used SQLite on this disk, not the configured PostgreSQL.");
      await cli.note("The load is generated in the same process, so a real service handles more.");
    });
}

function textOf({ machine, passwords, figures }: Benchmark, screen: Screen): string {
  const { memoryKiB, iterations, parallelism } = passwords;
  const head = facts([
    ["authsvc", `${version}, node ${machine.node}, ${machine.platform}`],
    ["Machine", `${machine.cores} × ${machine.processor}`],
    ["argon2id", `${memoryKiB} KiB, ${iterations} iterations, parallelism ${parallelism}`],
  ]);
  const rows = figures.map(({ figure, atOnce, perSecond, medianMilliseconds, p99Milliseconds }) => [
    titles[figure],
    String(atOnce),
    perSecond.toLocaleString("en"),
    `${medianMilliseconds} ms`,
    `${p99Milliseconds} ms`,
  ]);
  return `${head}\n${table(["WHAT", "CONCURRENCY", "PER SECOND", "MEDIAN", "P99"], rows, screen)}`;
}
