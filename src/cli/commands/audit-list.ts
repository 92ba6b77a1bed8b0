import { setTimeout as pause } from "node:timers/promises";
import { Option } from "commander";
import type { AuditEventAnswer } from "../../records/audit/audit.ts";
import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";
import { sinceFrom, wholeNumberFrom, wordOf } from "../input/values.ts";
import { followedTable } from "../output/followed-table.ts";
import type { Screen } from "../output/screen.ts";
import { table } from "../output/table.ts";

const sorts = ["at", "-at"] as const;
type Flags = {
  app?: string;
  user?: string;
  action?: string;
  result?: "success" | "failure";
  actor?: string;
  address?: string;
  since?: number;
  before?: number;
  sort?: (typeof sorts)[number];
  limit?: number;
  follow?: boolean;
};

type List = (wanted: { since?: number | undefined; limit: number }) => Promise<AuditEventAnswer[]>;

const headings = ["TIME", "ACTOR", "ACTION", "RESULT", "APP ID", "USER ID", "DETAILS"];

const maxListed = 10_000;
const pollMilliseconds = 1000;
/**
 * Nodes' clocks differ, and a transaction commits after reading its time: events up to this much
 * older than the newest may still appear.
 */
const stragglersMilliseconds = 15_000;

export function addAuditList(audit: CliCommand, cli: Cli): void {
  audit
    .command("list")
    .description(
      "show the audit log, newest last; --follow runs until Ctrl-C, and with --json prints one document per line",
    )
    .option("--app <id>", "only this application")
    .option("--user <id>", "only this user")
    .option("--action <name>", "only this action, such as user.login")
    .option("--result <result>", "only success or failure", wordOf(["success", "failure"]))
    .option("--actor <actor>", "only what this actor did, such as cli:root, app:app_shop or user:usr_01k…")
    .option("--address <ip>", "only from this IP address")
    .option("--since <when>", "only since this time: 24h, 7d, or a time such as 2026-11-20T10:00:00Z", sinceFrom)
    .addOption(new Option("--before <when>", "only before this time").argParser(sinceFrom).conflicts("follow"))
    .addOption(
      new Option("--sort <order>", "at: the oldest entries first; -at: the newest first")
        .argParser(wordOf(sorts))
        .conflicts("follow"),
    )
    .option(
      "--limit <number>",
      "only the newest entries (default: 100, with --follow 10)",
      wholeNumberFrom(1, maxListed),
    )
    .option("--follow", "keep showing new entries")
    .examples(
      "authsvc audit list --app app_shop --result failure --since 1h",
      "authsvc audit list --user usr_01k… --json | jq '.[] | {at, action, actor}'",
    )
    .action(async (flags: Flags) => list(cli, flags));
}

async function list(cli: Cli, flags: Flags): Promise<void> {
  const { app: appId, user: userId, address: ipAddress, action, result, actor, since, before } = flags;
  const { sort, limit, follow = false } = flags;
  await cli.withCore(async (ctx) => {
    const { list } = await import("../../records/audit/audit.ts");
    const filter = { appId, userId, action, result, actor, ipAddress, before };
    const find: List = async (wanted) => await list(ctx, { ...filter, ...wanted, oldest: sort === "at" });
    if (follow) return await followEvents(cli, find, { since, limit: limit ?? 10 });
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

async function followEvents(cli: Cli, find: List, first: { since: number | undefined; limit: number }): Promise<void> {
  let events = await find(first);
  // Events that the limit omitted stay omitted.
  let since = events.length === first.limit ? Date.parse(events[0]?.at ?? "") : first.since;
  const shown = new Map<string, number>();
  const output = followedTable(cli, headings);
  const { screen } = output;
  const cellsFor = (event: AuditEventAnswer): string[] =>
    cellsOf(event, screen.columns === undefined ? cli.screen() : screen);
  output.expect(events.map(cellsFor));
  await output.printHeading();
  while (output.isOpen()) {
    for (const event of events) {
      if (shown.has(event.id)) continue;
      shown.set(event.id, Date.parse(event.at));
      await output.print(event, cellsFor(event));
    }
    since = Math.max(since ?? 0, ...[...shown.values()].map((at) => at - stragglersMilliseconds));
    for (const [id, at] of shown) if (at < since) shown.delete(id);
    await pause(pollMilliseconds);
    events = await find({ since, limit: maxListed });
    output.expect(events.map(cellsFor));
  }
}

function cellsOf({ at, actor, action, result, appId, userId, details }: AuditEventAnswer, screen: Screen): string[] {
  const facts = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  // On a terminal, an actor that the next columns name is shown by its kind alone.
  const isNamedBeside = actor === `app:${appId}` || actor === `user:${userId}`;
  const actorText = isNamedBeside && screen.columns !== undefined ? (actor.split(":")[0] ?? actor) : actor;
  return [screen.time(at), actorText, action, result, appId ?? "-", userId ?? "-", facts.join(" ")];
}
