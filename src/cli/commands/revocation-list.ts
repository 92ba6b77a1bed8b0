import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import type { ListedRevocation } from "../../revocations/service.ts";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { write } from "../io.ts";
import type { Screen } from "../output/screen.ts";
import { growingTable, table } from "../output/table.ts";
import { json } from "../output/text.ts";
import { wholeNumberFrom } from "../input/values.ts";

type Flags = { app: string; limit?: number; follow?: boolean };

const headings = ["TIME", "WHAT", "ID"];
const maxListed = 10_000;
const pollMilliseconds = 1000;
/** More than are written between two looks. */
const maxFollowed = 1000;

export function addRevocationList(revocation: Command, cli: Cli): void {
  const command = revocation
    .command("list")
    .description(
      "show what servers that verify tokens themselves hear, newest last; --follow runs until Ctrl-C, and with --json prints one document per line",
    )
    .requiredOption("--app <id>", "the application")
    .option(
      "--limit <number>",
      "only the newest entries (default: 100, with --follow 10)",
      wholeNumberFrom(1, maxListed),
    )
    .option("--follow", "keep showing new entries");
  examples(command, [
    "authsvc revocation list --app app_shop",
    "authsvc revocation list --app app_shop --follow --json",
  ]).action(async (flags: Flags) => list(cli, flags));
}

async function list(cli: Cli, { app, limit, follow = false }: Flags): Promise<void> {
  await cli.withApp(async ({ applications, revocations }) => {
    await applications.get(app);
    if (follow) return await followEntries(cli, (most) => revocations.list(app, most), limit ?? 10);
    const entries = await revocations.list(app, limit ?? 100);
    const screen = cli.screen();
    const rows = entries.map((entry) => cellsOf(entry, screen));
    await cli.result(entries, rows.length === 0 ? "" : table(headings, rows, screen));
    if (entries.length === 0) await cli.note("No login has ended in the last 24 hours.");
  });
}

/** Until Ctrl-C, which exits with 130, or until the reader has closed the pipe. */
async function followEntries(
  cli: Cli,
  newest: (most: number) => Promise<ListedRevocation[]>,
  first: number,
): Promise<void> {
  const { stdout } = cli.io;
  const reader = new AbortController();
  stdout.once("error", () => reader.abort());
  // Entries that the limit omitted stay omitted.
  let shown = new Set((await newest(maxFollowed)).slice(0, -first).map((entry) => json(entry, false)));
  // These lines stay on the screen, so a relative time would become wrong.
  const screen = { ...cli.screen(), time: (at: string) => at.slice(0, 19).replace("T", " ") };
  const lines = growingTable(headings, screen);
  if (!cli.isJson()) await cli.print(lines.heading());
  while (!reader.signal.aborted) {
    const entries = (await newest(maxFollowed)).map((entry) => ({ entry, text: json(entry, false) }));
    const fresh = entries.filter(({ text }) => !shown.has(text));
    lines.expect(fresh.map(({ entry }) => cellsOf(entry, screen)));
    for (const { entry, text } of fresh) {
      if (cli.isJson()) await write(stdout, text);
      else await cli.print(lines.row(cellsOf(entry, screen)));
    }
    shown = new Set(entries.map(({ text }) => text));
    await pause(pollMilliseconds);
  }
}

function cellsOf(entry: ListedRevocation, screen: Pick<Screen, "time">): string[] {
  const at = screen.time(entry.at);
  if ("sid" in entry) return [at, "login", entry.sid];
  if ("sub" in entry) return [at, "all logins of a user", entry.sub];
  return "kid" in entry ? [at, "signing key", entry.kid] : [at, "application", entry.app];
}
