import { setTimeout as pause } from "node:timers/promises";
import type { Command } from "commander";
import type { AuditEventAnswer } from "../../audit/audit.ts";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { write } from "../io.ts";
import { bold, json, table, visible } from "../text.ts";
import { sinceFrom, wholeNumberFrom } from "../values.ts";

type Flags = { app?: string; user?: string; since?: number; limit?: number; follow?: boolean };

type List = (wanted: { since?: number | undefined; limit: number }) => Promise<AuditEventAnswer[]>;

const mostListed = 10_000;
const pollMilliseconds = 1000;
/** Nodes' clocks differ, and a transaction commits after its instant was read: events this much older than the newest may still appear. */
const stragglersMilliseconds = 15_000;

export function addAuditList(audit: Command, cli: Cli): void {
  const command = audit
    .command("list")
    .description(
      "show what happened, the newest last; with --follow go on until Ctrl-C, with --json then one document a line",
    )
    .option("--app <id>", "only of this application")
    .option("--user <id>", "only of this user")
    .option("--since <when>", "only since then: 24h, 7d, or an instant such as 2026-11-20T10:00:00Z", sinceFrom)
    .option("--limit <number>", "only the newest (default: 100; with --follow 10)", wholeNumberFrom(1, mostListed))
    .option("--follow", "go on showing what happens");
  examples(command, [
    "authsvc audit list --app app_shop --since 24h",
    "authsvc audit list --user usr_01k… --json | jq '.[] | {at, action, actor}'",
  ]).action(async (flags: Flags) => list(cli, flags));
}

async function list(cli: Cli, { app, user, since, limit, follow = false }: Flags): Promise<void> {
  await cli.withRegistry(async ({ audit }) => {
    const find: List = async (wanted) => await audit.list({ appId: app, userId: user, ...wanted });
    if (follow) return await followEvents(cli, find, { since, limit: limit ?? 10 });
    const events = await find({ since, limit: limit ?? 100 });
    const heading = ["TIME", "ACTOR", "ACTION", "RESULT", "APP ID", "USER ID", "DETAILS"];
    await cli.result(
      events,
      events.length === 0 ? "" : table(heading, events.map(cellsOf), bold(cli.io, cli.io.stdout)),
    );
    if (events.length === 0) await cli.note("Nothing that fits has happened.");
  });
}

/** Until Ctrl-C, which ends the process with 130, or until nobody reads any more. */
async function followEvents(cli: Cli, find: List, first: { since: number | undefined; limit: number }): Promise<void> {
  const { stdout } = cli.io;
  const reader = new AbortController();
  stdout.once("error", () => reader.abort());
  let events = await find(first);
  // What the limit left out stays left out.
  let since = events.length === first.limit ? Date.parse(events[0]?.at ?? "") : first.since;
  const shown = new Map<string, number>();
  while (!reader.signal.aborted) {
    for (const event of events) {
      if (shown.has(event.id)) continue;
      shown.set(event.id, Date.parse(event.at));
      await write(stdout, cli.isJson() ? json(event, false) : `${cellsOf(event).map(visible).join("  ").trimEnd()}\n`);
    }
    since = Math.max(since ?? 0, ...[...shown.values()].map((at) => at - stragglersMilliseconds));
    for (const [id, at] of shown) if (at < since) shown.delete(id);
    await pause(pollMilliseconds);
    events = await find({ since, limit: mostListed });
  }
}

function cellsOf({ at, actor, action, result, appId, userId, details }: AuditEventAnswer): string[] {
  const facts = Object.entries(details).map(([name, value]) => `${name}=${value}`);
  return [at, actor, action, result, appId ?? "-", userId ?? "-", facts.join(" ")];
}
