import { day } from "../lib/clock.ts";
import { parseDuration } from "../lib/durations.ts";
import type { Context } from "../runtime/context.ts";
import type { Change } from "../upkeep/desired-state/difference.ts";
import type { Cli } from "./cli.ts";

/** Before they end: a lower maximum ends personal access tokens that last longer. */
export async function sayTokensThatEnd(
  cli: Cli,
  ctx: Context,
  { appId, days, dryRun }: { appId: string; days: number; dryRun: boolean },
): Promise<void> {
  const { countBeyond } = await import("../credentials/personal/service.ts");
  const ending = await countBeyond(ctx, appId, days);
  if (ending === 0) return;
  const tokens = ending === 1 ? "token lasts" : "tokens last";
  await cli.note(`${appId}: ${ending} personal access ${tokens} longer, and ${dryRun ? "would end" : "will end now"}.`);
}

/** The same for every application whose maximum `changes` change. */
export async function sayAllTokensThatEnd(
  cli: Cli,
  ctx: Context,
  changes: Change[],
  { dryRun }: { dryRun: boolean },
): Promise<void> {
  for (const { kind, action, application: appId, fields } of changes)
    for (const change of kind === "application" && action === "update" ? fields : [])
      if (change.field === "personalTokenLife" && "after" in change)
        await sayTokensThatEnd(cli, ctx, { appId, days: (parseDuration(String(change.after)) ?? 0) / day, dryRun });
}
