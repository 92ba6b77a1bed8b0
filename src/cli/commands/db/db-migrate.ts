import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { surroundings } from "../../database-work.ts";

export function addDbMigrate(db: CliCommand, cli: Cli): void {
  db.command("migrate")
    .description("update the schema, as every start does; for SQLite, a snapshot is kept beside the database")
    .dryRun("show what would be applied, without changing anything")
    .examples("authsvc db migrate --dry-run", "authsvc db migrate --config /etc/authsvc/config.yaml")
    .action(async () => {
      const dryRun = cli.isDryRun();
      const { config } = await cli.configure();
      const { migrateDatabase } = await import("../../../upkeep/database/maintenance.ts");
      const migrations = await migrateDatabase(config, { dryRun }, commandActor(), surroundings);
      const text = migrations.map((name) => `${name} ${dryRun ? "would be" : "was"} applied\n`).join("");
      await cli.result(
        dryRun ? { pending: migrations } : { applied: migrations },
        text === "" ? "The schema is up to date.\n" : text,
      );
    });
}
