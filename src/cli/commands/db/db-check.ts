import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { surroundings } from "../../database-work.ts";
import { exitCodes } from "../../exit-codes.ts";

export function addDbCheck(db: CliCommand, cli: Cli): void {
  db.command("check")
    .description(
      "check the database: pages, references, decryption of every secret, counters, timestamps; exit code 1 if a problem is found",
    )
    .examples("authsvc db check", "authsvc db check --json | jq -r '.problems[].problem'")
    .action(async () => {
      const { config } = await cli.configure();
      const { checkDatabase } = await import("../../../upkeep/database/maintenance.ts");
      const problems = await checkDatabase(config, surroundings);
      const isSound = problems.length === 0;
      await cli.result(
        { ok: isSound, problems },
        isSound
          ? "No problems found in the database.\n"
          : problems.map(({ check, problem }) => `${check}: ${problem}\n`).join(""),
      );
      if (!isSound) cli.endWith(exitCodes.failed);
    });
}
