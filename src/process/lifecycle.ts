/** Starts, stops, versions and migrations in the audit log. */
import { hostname } from "node:os";
import packageFile from "../../package.json" with { type: "json" };
import { hour } from "../lib/clock.ts";
import * as audit from "../records/audit/audit.ts";
import type { AuditEvent } from "../records/audit/audit.ts";
import type { CoreContext } from "../runtime/context.ts";
import { exchangeMetadata, settleMetadata } from "../secrets/store.ts";
import type { Handle } from "../storage/storage.ts";

const versionMetadata = "service-version";
/** A service that a supervisor starts again and again must not fill the log. */
const entriesAnHour = 20;
/** Also after these a start after a stop is written, up to these, and the stop after each start. */
const pairedAnHour = 25;

function nodeOf({ config }: CoreContext): AuditEvent["actor"] {
  return { kind: "service", name: `${hostname()}:${config.listen.port}` };
}

/**
 * Each node has its own entries. A crash leaves none, so the next start says that no stop preceded
 * it. A failure is logged: the service runs on a database that cannot be written, too.
 */
export async function recordStart(ctx: CoreContext): Promise<void> {
  const { version } = packageFile;
  await recordOfNode(ctx, async (tx, { last, anHour }, record) => {
    const isAfterCrash = last === "service.start";
    if (anHour >= (last === "service.stop" ? pairedAnHour : entriesAnHour)) return;
    await record("service.start", { version, ...(isAfterCrash && { afterCrash: true }) });
    const before = await settleMetadata(tx, versionMetadata, version);
    // Of nodes that start at once, one says it.
    if (before !== version && (await exchangeMetadata(tx, versionMetadata, { from: before, to: version })))
      await record("service.version", { version, before });
  });
}

export async function recordStop(ctx: CoreContext): Promise<void> {
  await recordOfNode(ctx, async (_tx, { last, anHour }, record) => {
    // Without its stop, a start looks like one that ended in a crash.
    if (last === "service.start" || anHour < entriesAnHour)
      await record("service.stop", { version: packageFile.version });
  });
}

/** The last start or stop of this node, and how many entries it has of the last hour. */
type Own = { last: string | undefined; anHour: number };
type Record = (action: string, details: NonNullable<AuditEvent["details"]>) => Promise<void>;

async function recordOfNode(
  ctx: CoreContext,
  write: (tx: Handle, own: Own, record: Record) => Promise<void>,
): Promise<void> {
  const { storage, clock } = ctx;
  const actor = nodeOf(ctx);
  const now = clock();
  try {
    await storage.write(async (tx) => {
      const newest = await audit.newestOf(tx, actor, pairedAnHour);
      const last = newest.find(({ action }) => action !== "service.version")?.action;
      const anHour = newest.filter(({ at }) => at > now - hour).length;
      await write(tx, { last, anHour }, async (action, details) => {
        await audit.record(ctx, tx, { actor, action, result: "success", details }, now);
      });
    });
  } catch (error) {
    warn(ctx, "the start or stop is not in the audit log", error);
  }
}

/**
 * What opening the database applied, whichever command opened it. A failure is logged: the database
 * is migrated.
 */
export async function recordMigrations(ctx: CoreContext, names: readonly string[]): Promise<void> {
  const actor = { kind: "service", name: "authsvc" } as const;
  const details = { migrations: names.join(", ") };
  const event = { actor, action: "database.migrate", result: "success", details } as const;
  try {
    await ctx.storage.write((tx) => audit.record(ctx, tx, event, ctx.clock()));
  } catch (error) {
    warn(ctx, "the migration is not in the audit log", error);
  }
}

function warn({ log }: CoreContext, what: string, error: unknown): void {
  log.warn(what, { reason: error instanceof Error ? error.message : "unknown" });
}
