import type { AuditEventAnswer } from "../../records/audit/audit.ts";
import type { CoreContext } from "../../runtime/context.ts";
import type { CliCommand } from "../command.ts";
import { userIdOf } from "./users.ts";
import { sinceFrom, wholeNumberFrom, wordOf } from "./values.ts";

/** The flags of every command that shows the audit log. */
export type AuditFlags = {
  app?: string;
  user?: string;
  action?: string;
  result?: "success" | "failure";
  actor?: string;
  address?: string;
  target?: string;
  since?: number;
  limit?: number;
  follow?: boolean;
};

const maxListed = 10_000;

/**
 * Nodes' clocks differ, and a transaction commits after reading its time: events up to this much
 * older than the newest may still appear.
 */
const stragglersMilliseconds = 15_000;

export function withAuditFilters(command: CliCommand): CliCommand {
  return command
    .option("--app <id>", "only this application")
    .option("--user <id>", "only this user, by ID or email address")
    .option("--action <name>", "only this action, such as user.login")
    .option("--result <result>", "only success or failure", wordOf(["success", "failure"]))
    .option("--actor <actor>", "only what this actor did, such as cli:root, app:app_shop or user:usr_01k…")
    .option("--address <ip>", "only from this IP address")
    .option("--target <id>", "only changes of this application, client, endpoint, key, group or user")
    .option("--since <when>", "only since this time: 24h, 7d, or a time such as 2026-11-20T10:00:00Z", sinceFrom)
    .option(
      "--limit <number>",
      "only the newest entries (default: 100, with --follow 10)",
      wholeNumberFrom(1, maxListed),
    )
    .option("--follow", "keep showing new entries");
}

/** The filter of the flags, except `--since` and `--limit`. */
export async function eventFilterOf(ctx: CoreContext, { app, user, target, ...flags }: AuditFlags) {
  const userId = user === undefined ? undefined : await userIdOf(ctx, user, "--user", app);
  const { action, result, actor, address } = flags;
  return { appId: app, userId, action, result, actor, ipAddress: address, target };
}

type Find = (wanted: { since?: number | undefined; limit: number }) => Promise<AuditEventAnswer[]>;

/**
 * Returns a function that finds the events since its last call; at first the newest, by the flags.
 */
export function newEvents(find: Find, { since: first, limit = 10 }: AuditFlags): () => Promise<AuditEventAnswer[]> {
  const shown = new Map<string, number>();
  let since = first;
  let isFirst = true;
  return async () => {
    const events = await find({ since, limit: isFirst ? limit : maxListed });
    // Events that the limit omitted stay omitted.
    if (isFirst && events.length === limit) since = Date.parse(events[0]?.at ?? "");
    isFirst = false;
    const fresh = events.filter(({ id }) => !shown.has(id));
    for (const { id, at } of fresh) shown.set(id, Date.parse(at));
    since = Math.max(since ?? 0, ...[...shown.values()].map((at) => at - stragglersMilliseconds));
    for (const [id, at] of shown) if (at < since) shown.delete(id);
    return fresh;
  };
}
