import { isoTime } from "../../../lib/clock.ts";
import type { DatabaseStatus } from "../../../storage/status.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { sizeText } from "../../../lib/sizes.ts";
import { surroundings } from "../../database-work.ts";
import type { Screen } from "../../output/screen.ts";
import { table } from "../../output/table.ts";
import { facts } from "../../output/text.ts";

export function addDbStatus(db: CliCommand, cli: Cli): void {
  db.command("status")
    .description("show the database in use, its schema, its size and the rows of each table")
    .examples("authsvc db status", "authsvc db status --json | jq .schema.pending")
    .action(async () => {
      const { config } = await cli.configure();
      const { databaseStatus } = await import("../../../upkeep/database/maintenance.ts");
      const status = await databaseStatus(config, surroundings);
      await cli.result(documentOf(status), textOf(status, cli.screen()));
      if (status.pending.length > 0)
        await cli.note(
          "The schema is out of date: authsvc db migrate, or the next start, applies the pending migrations.",
        );
    });
}

function documentOf({ dialect, location, applied, pending, bytes, logBytes, tables, oldestExpired }: DatabaseStatus) {
  return {
    dialect,
    location,
    schema: {
      applied: applied.map(({ name, appliedAt, version }) => ({ name, appliedAt: isoTime(appliedAt), version })),
      pending,
    },
    bytes,
    logBytes,
    tables,
    oldestExpired: oldestExpired && { table: oldestExpired.table, at: isoTime(oldestExpired.at) },
  };
}

function textOf(status: DatabaseStatus, screen: Screen): string {
  const { dialect, location, applied, pending, bytes, logBytes, tables, oldestExpired } = status;
  const head = facts([
    ["Database", `${dialect === "sqlite" ? "SQLite" : "PostgreSQL"}, ${location}`],
    ["Schema", applied.at(-1)?.name ?? "none"],
    ["Pending", pending.join(", ") || "nothing"],
    ["Size", sizeText(bytes)],
    ...(logBytes === null ? [] : [["Log", sizeText(logBytes)] as [string, string]]),
    ["Oldest expired", oldestExpired ? `${isoTime(oldestExpired.at)} in ${oldestExpired.table}` : "nothing"],
  ]);
  const rows = tables.map((each) => [each.table, each.rows.toLocaleString("en")]);
  return rows.length === 0 ? head : `${head}\n${table(["TABLE", "ROWS"], rows, screen)}`;
}
