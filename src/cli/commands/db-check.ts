import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { surroundings } from "../database-work.ts";
import { examples } from "../examples.ts";
import { exitCodes } from "../exit-codes.ts";

export function addDbCheck(db: Command, cli: Cli): void {
  const command = db
    .command("check")
    .description(
      "check the database: pages, references, whether every secret decrypts under the master key, counters, times; exit code 1 when something is wrong",
    );
  examples(command, ["authsvc db check", "authsvc db check --json | jq -r '.problems[].problem'"]).action(async () => {
    const { config } = await cli.configure();
    const { checkDatabase } = await import("../../maintenance.ts");
    const problems = await checkDatabase(config, surroundings);
    const isSound = problems.length === 0;
    await cli.result(
      { ok: isSound, problems },
      isSound
        ? "Nothing is wrong with the database.\n"
        : problems.map(({ check, problem }) => `${check}: ${problem}\n`).join(""),
    );
    if (!isSound) cli.endWith(exitCodes.failed);
  });
}
