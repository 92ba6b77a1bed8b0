import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { surroundings } from "../database-work.ts";
import { examples } from "../examples.ts";

export function addDbMigrate(db: Command, cli: Cli): void {
  const command = db
    .command("migrate")
    .description("update the schema, as every start does; for SQLite, a snapshot is kept beside the database")
    .option("--dry-run", "show what would be applied, without changing anything");
  examples(command, ["authsvc db migrate --dry-run", "authsvc db migrate --config /etc/authsvc/config.yaml"]).action(
    async ({ dryRun = false }: { dryRun?: boolean }) => {
      const { config } = await cli.configure();
      const { migrateDatabase } = await import("../../operator/database/maintenance.ts");
      const migrations = await migrateDatabase(config, { dryRun }, commandActor(), surroundings);
      const text = migrations.map((name) => `${name} ${dryRun ? "would be" : "was"} applied\n`).join("");
      await cli.result(
        dryRun ? { pending: migrations, dryRun } : { applied: migrations },
        text === "" ? "The schema is up to date.\n" : text,
      );
      if (dryRun) await cli.note("Dry run: nothing was changed.");
    },
  );
}
