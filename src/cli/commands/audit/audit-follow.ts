import { setTimeout as pause } from "node:timers/promises";
import { second } from "../../../lib/clock.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { readCursor, unusable, writeCursor } from "../../input/cursor-file.ts";
import { outputFile, refuseOwnFile } from "../../input/output-file.ts";
import { wordOf } from "../../input/values.ts";

type Flags = { cursorFile: string; format?: "ndjson" | "cef" };

const pageSize = 500;

export function addAuditFollow(audit: CliCommand, cli: Cli): void {
  audit
    .command("follow")
    .description(
      "print every entry of the audit log for another program, and each new one, until Ctrl-C; the next call continues where this one ended",
    )
    .requiredOption(
      "--cursor-file <file>",
      "keeps how far it is; without that file, it begins with the oldest entry that is kept",
    )
    .option("--format <format>", "ndjson (default) or cef", wordOf(["ndjson", "cef"]))
    .examples(
      "authsvc audit follow --cursor-file /var/lib/shipper/authsvc.cursor | shipper",
      "authsvc audit follow --cursor-file ./cursor --format cef",
    )
    .withCore(async (ctx, { cursorFile, format = "ndjson" }: Flags) => {
      const { answerOf } = await import("../../../records/audit/audit.ts");
      const { formatOf } = await import("../../../records/audit/formats.ts");
      const stream = await import("../../../records/audit/stream.ts");
      const { line } = formatOf(format);
      const file = outputFile(cli.io, cursorFile, "--cursor-file");
      await refuseOwnFile(cli, file, "--cursor-file");
      const kept = readCursor(file);
      const foreign = kept && (await stream.foreignBecause(ctx, kept));
      if (foreign !== undefined) throw unusable(file, foreign);
      let cursor = kept ?? (await stream.beginning(ctx));
      for (;;) {
        const page = await stream.readOn(ctx, cursor, { limit: pageSize });
        cursor = page.cursor;
        if (page.entries.length > 0) {
          const text = page.entries.map((entry) => line(answerOf(entry))).join("");
          if (!(await isTaken(cli, text))) return;
          // Only now: after a crash, entries are printed again rather than never.
          writeCursor(file, cursor);
        }
        if (!page.more) await pause(second);
      }
    });
}

/** Whether the reader of our output took the text; false if it has closed the pipe. */
async function isTaken({ io: { stdout } }: Cli, text: string): Promise<boolean> {
  return await new Promise((taken, reject) => {
    stdout.write(text, (error) => {
      const code = error && "code" in error ? error.code : undefined;
      if (!error) taken(true);
      else if (code === "EPIPE" || code === "ERR_STREAM_DESTROYED") taken(false);
      else reject(error);
    });
  });
}
