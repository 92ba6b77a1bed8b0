import type { ListedRevocation } from "../../records/revocations/service.ts";
import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { wholeNumberFrom } from "../input/values.ts";
import { followedTable } from "../output/followed-table.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";
import { json } from "../output/text.ts";

type Flags = { app: string; limit?: number; follow?: boolean };

const headings = ["TIME", "WHAT", "ID"];
const maxListed = 10_000;
/** More than are written between two polls. */
const maxFollowed = 1000;

export function addRevocationList(revocation: CliCommand, cli: Cli): void {
  revocation
    .command("list")
    .description(
      "show the entries of the revocation feed, newest last; --follow runs until Ctrl-C, and with --json prints one document per line",
    )
    .requiredOption("--app <id>", "the application")
    .option(
      "--limit <number>",
      "only the newest entries (default: 100, with --follow 10)",
      wholeNumberFrom(1, maxListed),
    )
    .option("--follow", "keep showing new entries")
    .examples("authsvc revocation list --app app_shop", "authsvc revocation list --app app_shop --follow --json")
    .action(async (flags: Flags) => list(cli, flags));
}

async function list(cli: Cli, { app, limit, follow = false }: Flags): Promise<void> {
  await cli.withApp(async (ctx) => {
    const applications = await import("../../applications/service.ts");
    const { revocations } = await import("../../records/revocations/service.ts");
    await applications.get(ctx, app);
    if (follow) return await followEntries(cli, (most) => revocations(ctx).list(app, most), limit ?? 10);
    const entries = await revocations(ctx).list(app, limit ?? 100);
    const screen = cli.screen();
    const rows = entries.map((entry) => cellsOf(entry, screen));
    await cli.result(entries, rows.length === 0 ? "" : table(headings, rows, screen));
    if (entries.length === 0) await cli.note("No login has ended in the last 24 hours.");
  });
}

async function followEntries(
  cli: Cli,
  newest: (most: number) => Promise<ListedRevocation[]>,
  first: number,
): Promise<void> {
  // Entries that the limit omitted stay omitted.
  let shown = new Set((await newest(maxFollowed)).slice(0, -first).map((entry) => json(entry, false)));
  await followedTable(cli, headings, cellsOf).follow(async () => {
    const entries = (await newest(maxFollowed)).map((entry) => ({ entry, text: json(entry, false) }));
    const fresh = entries.filter(({ text }) => !shown.has(text)).map(({ entry }) => entry);
    shown = new Set(entries.map(({ text }) => text));
    return fresh;
  });
}

function cellsOf(entry: ListedRevocation, screen: Pick<Screen, "time">): string[] {
  const at = screen.time(entry.at);
  if ("sid" in entry) return [at, "login", entry.sid];
  if ("sub" in entry) return [at, "all logins of a user", entry.sub];
  if ("organization" in entry) {
    const { organization, user } = entry;
    return [at, "tokens of an organization", user === undefined ? organization : `${organization} (${user})`];
  }
  return "kid" in entry ? [at, "signing key", entry.kid] : [at, "application", entry.app];
}
