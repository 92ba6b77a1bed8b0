import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { AppError } from "../../../lib/errors.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { acting, applicationWith } from "../../input/organization-flags.ts";
import { readLines } from "../../input/read-lines.ts";

type Refused = { line: number; problem: string };

export function addOrganizationImport(organization: CliCommand, cli: Cli): void {
  organization
    .command("import")
    .description("create organizations and add members, from JSON Lines; addresses that nobody verified are invited")
    .argument("[FILE]", "file (default: standard input)")
    .asks("--app <id>", "App ID")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc organization import organizations.jsonl --app app_shop --dry-run",
      "authsvc organization import organizations.jsonl --app app_shop --json",
    )
    .withApp(async (ctx, file: string | undefined, { app }: { app: string }) => {
      const application = await applicationWith(ctx, app);
      const transfer = await import("../../../organizations/transfer.ts");
      const counts = { lines: 0, created: 0, added: 0, invited: 0, refused: 0 };
      const refused: Refused[] = [];
      for await (const entry of readLines(linesOf(cli, file))) {
        if ("text" in entry && entry.text.trim() === "") continue;
        counts.lines += 1;
        try {
          if ("problem" in entry) throw new AppError("INVALID_REQUEST", entry.problem);
          const done = await transfer.importLine(ctx, application, parsed(entry.text), acting(cli));
          counts.created += Number(done.created);
          counts.added += done.added;
          counts.invited += done.invited;
          refused.push(...done.problems.map((problem) => ({ line: entry.line, problem })));
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          refused.push({ line: entry.line, problem: error.details === "" ? error.message : error.details });
        }
      }
      counts.refused = refused.length;
      for (const { line, problem } of refused.slice(0, 20)) await cli.note(`line ${line}: ${problem}`);
      const { lines, created, added, invited } = counts;
      const text = `${lines} organizations, ${created} of them new; ${added} members, ${invited} invitations.\n`;
      await cli.result({ ...counts, problems: refused }, text);
      if (refused.length > 0) cli.endWith(exitCodes.failed);
    });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("INVALID_REQUEST", "not JSON", { cause });
  }
}

async function* linesOf(cli: Cli, file: string | undefined): AsyncGenerator<Buffer> {
  const stream = file === undefined ? cli.io.stdin : createReadStream(resolve(cli.io.cwd(), file));
  try {
    for await (const chunk of stream) yield Buffer.from(chunk as Uint8Array);
  } catch (cause) {
    throw new AppError("INVALID_REQUEST", "FILE: it cannot be read", { cause });
  }
}
