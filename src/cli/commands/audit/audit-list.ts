import { Option } from "commander";
import type { AuditEventAnswer } from "../../../records/audit/audit.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { eventFilterOf, newEvents, withAuditFilters, type AuditFlags } from "../../input/audit-filter.ts";
import { sinceFrom, wordOf } from "../../input/values.ts";
import { followedTable } from "../../output/followed-table.ts";
import type { Screen } from "../../output/screen.ts";
import { table } from "../../output/table.ts";

const sorts = ["at", "-at"] as const;
type Flags = AuditFlags & { before?: number; sort?: (typeof sorts)[number] };

const headings = ["TIME", "ACTOR", "ACTION", "RESULT", "APP ID", "USER ID", "DETAILS"];

export function addAuditList(audit: CliCommand, cli: Cli): void {
  const command = audit
    .command("list")
    .description(
      "show the audit log, newest last; --follow runs until Ctrl-C, and with --json prints one document per line",
    );
  withAuditFilters(command)
    .addOption(new Option("--before <when>", "only before this time").argParser(sinceFrom).conflicts("follow"))
    .addOption(
      new Option("--sort <order>", "at: the oldest entries first; -at: the newest first")
        .argParser(wordOf(sorts))
        .conflicts("follow"),
    )
    .examples(
      "authsvc audit list --app app_shop --result failure --since 1h",
      "authsvc audit list --user usr_01k… --json | jq '.[] | {at, action, actor}'",
    )
    .action(async (flags: Flags) => list(cli, flags));
}

async function list(cli: Cli, flags: Flags): Promise<void> {
  const { since, before, sort, limit, follow = false } = flags;
  await cli.withCore(async (ctx) => {
    const { list } = await import("../../../records/audit/audit.ts");
    const filter = { ...(await eventFilterOf(ctx, flags)), before, oldest: sort === "at" };
    const find = async (wanted: { since?: number | undefined; limit: number }): Promise<AuditEventAnswer[]> =>
      await list(ctx, { ...filter, ...wanted });
    if (follow) return await followedTable(cli, headings, cellsOf).follow(newEvents(find, flags));
    const newest = await find({ since, limit: limit ?? 100 });
    const events = sort === "-at" ? newest.toReversed() : newest;
    const screen = cli.screen();
    await cli.result(
      events,
      events.length === 0
        ? ""
        : table(
            headings,
            events.map((event) => cellsOf(event, screen)),
            screen,
          ),
    );
    if (events.length === 0) await cli.note("No matching entries.");
  });
}

function cellsOf(event: AuditEventAnswer, screen: Screen): string[] {
  const { at, actor, action, result, appId, userId, details, changes } = event;
  const facts = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  for (const [name, { from, to }] of Object.entries(changes ?? {}))
    facts.push(`${name}: ${from === "" ? "none" : from} -> ${to === "" ? "none" : to}`);
  // On a terminal, an actor that the next columns name is shown only by its kind.
  const isNamedBeside = actor === `app:${appId}` || actor === `user:${userId}`;
  const actorText = isNamedBeside && screen.columns !== undefined ? (actor.split(":")[0] ?? actor) : actor;
  return [screen.time(at), actorText, action, result, appId ?? "-", userId ?? "-", facts.join(" ")];
}
