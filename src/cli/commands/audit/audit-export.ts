import { minute } from "../../../lib/clock.ts";
import { AppError } from "../../../lib/errors.ts";
import type { Format } from "../../../records/audit/formats.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { sinceFrom, wordOf } from "../../input/values.ts";
import { write } from "../../io.ts";

type Flags = { since?: number; until?: number; format?: Format };

/** Entries that anybody can cause are written up to 10 seconds late, and nodes' clocks differ. */
const isSettledAfter = minute;

export function addAuditExport(audit: CliCommand, cli: Cli): void {
  audit
    .command("export")
    .description("print the audit log for other programs, oldest entry first; the export itself is recorded")
    .option("--since <when>", "from this time on: 24h, 7d, or a time such as 2026-11-20T10:00:00Z", sinceFrom)
    .option(
      "--until <when>",
      "before this time (default: now), so that windows that meet have each entry once",
      sinceFrom,
    )
    .option("--format <format>", "ndjson (default), csv or cef", wordOf(["ndjson", "csv", "cef"]))
    .examples(
      "authsvc audit export --since 2026-11-01T00:00:00Z --until 2026-12-01T00:00:00Z > november.ndjson",
      "authsvc audit export --since 24h --format cef",
    )
    .withCore(async (ctx, { since, until, format = "ndjson" }: Flags) => {
      const { exportEntries } = await import("../../../records/audit/export.ts");
      const { stdout } = cli.io;
      const now = ctx.clock();
      const before = until ?? now;
      if (since !== undefined && since >= before)
        throw new AppError("INVALID_REQUEST", "--since must be before --until");
      const day = (at: number): string => new Date(at).toISOString();
      const given = { format, ...(since !== undefined && { since: day(since) }), until: day(before) };
      const wanted = { filter: { since, before }, given, format, oldest: true };
      const by = { actor: commandActor() };
      for await (const text of exportEntries(ctx, wanted, by, async () => !stdout.destroyed)) await write(stdout, text);
      if (before > now - isSettledAfter)
        await cli.note(
          "Entries of the last minute may still be written. For every entry once, end the window earlier.",
        );
    });
}
