/** What must hold once everything is quiet: nothing waits, and the records say what was done. */
import { and, eq, inArray } from "drizzle-orm";
import * as activity from "../../../src/records/activity/activity.ts";
import type { AuditRow } from "../../../src/records/audit/store.ts";
import type { Context } from "../../../src/runtime/context.ts";
import { Violation } from "../model.ts";
import type { World } from "../world.ts";
import { claimsOf } from "./tokens.ts";

/** The acts whose entry says that a login has ended. */
const endings = new Set(["user.logout", "token.reuse", "code.reuse"]);

export async function checkRecords(world: World): Promise<void> {
  const { ctx } = world.node;
  const { app, club, firms, house, gate, offices, companies, mall, founders, registry, campus, college } = world;
  const apps = [app, club, firms.app, house.app, gate.app, offices, companies.app, mall.app, founders, ...registry];
  const appIds = [...apps, campus, college].map(({ id }) => id);
  const logins = await loginsOf(ctx, appIds, [companies.app.id, mall.app.id]);
  checkEvents(world, logins);
  await checkAudit(ctx, appIds, logins);
  checkKnownLogins(world, logins);
  await checkActivity(ctx, [...appIds, world.keepers.id]);
  const late = await waitingEvents(world);
  if (late > 0) throw new Violation("O10", `${late} events wait although everything is well`);
}

/** `endedAt` undefined: nobody knows whether it was ended before it expired. */
type StoredLogin = { id: string; endedAt: number | null | undefined };

/**
 * Of deleted people, what the audit log says: they began, and have ended. Those with
 * short lives expire within the run, and are deleted then.
 */
async function loginsOf(
  { storage: { reader } }: Context,
  appIds: string[],
  short: string[],
): Promise<Map<string, StoredLogin>> {
  const { logins, users, auditEvents } = reader.tables;
  const rows = await reader.db
    .select({ id: logins.id, endedAt: logins.endedAt })
    .from(logins)
    .where(inArray(logins.appId, appIds));
  const stored = new Map<string, StoredLogin>(rows.map((row) => [row.id, row]));
  const present = new Set((await reader.db.select({ id: users.id }).from(users)).map(({ id }) => id));
  const begun = await reader.db
    .select()
    .from(auditEvents)
    .where(
      and(inArray(auditEvents.appId, appIds), eq(auditEvents.action, "user.login"), eq(auditEvents.result, "success")),
    );
  for (const { appId, userId, details } of begun) {
    const id = details["loginId"];
    if (typeof id !== "string" || userId === null) continue;
    if (!present.has(userId)) stored.set(id, { id, endedAt: 0 });
    else if (short.includes(appId ?? "") && !stored.has(id)) stored.set(id, { id, endedAt: undefined });
  }
  return stored;
}

/** O5: each committed event is delivered with one id, none of what was rolled back. */
function checkEvents(world: World, logins: ReadonlyMap<string, StoredLogin>): void {
  const bodies = new Map<string, string>();
  const about = { login: new Set<string>(), logout: new Set<string>() };
  const gone = new Set([
    ...world.people.filter(({ access }) => access.allows("deleted")).map(({ userId }) => userId),
    ...world.residents.filter(({ isGone }) => isGone).map(({ userId }) => userId),
    ...world.accounts.filter(({ exists }) => exists.allows(false)).map(({ userId }) => userId),
  ]);
  for (const { id, body } of world.arrived) {
    // Of somebody who is deleted while an event waits, only the id is sent.
    const { userId } = body["data"] as { userId: string };
    const text = JSON.stringify(body, gone.has(userId) ? ["event", "data", "userId", "sessionId"] : undefined);
    if ((bodies.get(id) ?? text) !== text)
      throw new Violation("O5", `two bodies of the event ${id}: ${bodies.get(id)} and ${text}`);
    bodies.set(id, text);
  }
  const taken = new Set(world.delivered.map(({ id }) => id));
  for (const [id, text] of bodies) {
    if (!taken.has(id)) throw new Violation("O5", `the event ${id} was refused, and never came again: ${text}`);
    const { event, data } = JSON.parse(text) as { event: string; data: { sessionId: string | null } };
    const loginId = data.sessionId ?? "";
    if (event !== "user.login" && event !== "user.logout") continue;
    const seen = event === "user.login" ? about.login : about.logout;
    if (seen.has(loginId)) throw new Violation("O5", `two events ${event} of ${loginId}`);
    seen.add(loginId);
    if (!logins.has(loginId)) throw new Violation("O5", `${event} of ${loginId}, which never was`);
  }
  for (const { id, endedAt } of logins.values()) {
    if (!about.login.has(id)) throw new Violation("O5", `no event user.login of ${id}`);
    if (endedAt !== undefined && (endedAt !== null) !== about.logout.has(id))
      throw new Violation("O5", `user.logout does not fit the end of ${id}`);
  }
}

/** O9: each login has one entry for its begin, and one for its end. */
async function checkAudit(ctx: Context, appIds: string[], logins: ReadonlyMap<string, StoredLogin>): Promise<void> {
  const begins = new Map<string, number>();
  const ends = new Map<string, number>();
  const { auditEvents } = ctx.storage.reader.tables;
  const entries = await ctx.storage.reader.db
    .select({ action: auditEvents.action, result: auditEvents.result, details: auditEvents.details })
    .from(auditEvents)
    .where(inArray(auditEvents.appId, appIds));
  for (const { action, result, details } of entries) {
    const loginId = (details as Record<string, unknown> | null)?.["loginId"];
    if (typeof loginId !== "string") continue;
    if (action === "user.login" && result === "success") begins.set(loginId, (begins.get(loginId) ?? 0) + 1);
    if (endings.has(action)) ends.set(loginId, (ends.get(loginId) ?? 0) + 1);
  }
  for (const { id, endedAt } of logins.values()) {
    if (begins.get(id) !== 1) throw new Violation("O9", `${begins.get(id) ?? 0} entries say that ${id} began`);
    const expected = endedAt === null ? 0 : 1;
    if (endedAt !== undefined && (ends.get(id) ?? 0) !== expected)
      throw new Violation("O9", `${ends.get(id) ?? 0} entries say that ${id} ended`);
  }
  for (const id of begins.keys()) if (!logins.has(id)) throw new Violation("O9", `an entry of ${id}, which never was`);
}

type Entry = Pick<AuditRow, "actor" | "action" | "result" | "details">;

/** How an entry counts (docs/decisions/0054), as event and kind; undefined: not at all. */
function countedAs({ actor, action, result, details }: Entry): [string, unknown] | undefined {
  const [who] = actor.split(":");
  const { method, provider, factor, secondFactor, singleSignOn, code, kind } = details;
  const counted: Record<string, [string, unknown] | undefined> = {
    "user.login success": ["sign-in", provider ? `oauth:${provider}` : method],
    "sign-in failure": factor ? ["second-factor.failed", factor] : ["sign-in.failed", method],
    "sign-in success": secondFactor && singleSignOn !== true ? ["second-factor", secondFactor] : undefined,
    "user.create success": who === "user" ? ["sign-up", method] : undefined,
    "password.reset success": ["password.reset", ""],
    "user.logout success": ["logout", who],
    "user.delete success": ["user.deleted", who],
    "call.refused failure": ["refusal", code],
    "mail.dropped failure": ["mail.dropped", kind],
  };
  return counted[`${action} ${result}`];
}

/** Those that are no entries. */
const counts = new Set(["active", "mail.sent", "mail.failed", "webhook.delivered", "webhook.failed"]);

/** O9: the counts of charts are those of the log, of each hour and each day. */
async function checkActivity(ctx: Context, appIds: readonly string[]): Promise<void> {
  const { reader } = ctx.storage;
  const entries = await reader.db.select().from(reader.tables.auditEvents);
  for (const appId of [undefined, ...appIds])
    for (const [span, long] of [
      ["hour", 3_600_000],
      ["day", 86_400_000],
    ] as const) {
      const should = new Map<string, number>();
      for (const entry of entries) {
        const [event, kind = ""] = countedAs(entry) ?? [];
        if (event === undefined || (appId !== undefined && entry.appId !== appId)) continue;
        const key = JSON.stringify([event, kind ?? "", entry.at - (entry.at % long)]);
        should.set(key, (should.get(key) ?? 0) + Number(entry.details["count"] ?? 1));
      }
      const wanted = { span, from: 0, to: Number.MAX_SAFE_INTEGER, appId };
      const series = await activity.series(reader, wanted);
      const is = series.filter(({ event }) => !counts.has(event));
      for (const { event, kind, startsAt, value } of is) {
        const key = JSON.stringify([event, kind, startsAt]);
        if (should.get(key) !== value)
          throw new Violation("O9", `${value} times ${key} of ${String(appId)} instead of ${should.get(key) ?? 0}`);
        should.delete(key);
      }
      const [missing] = should.keys();
      if (missing !== undefined) throw new Violation("O9", `${missing} of ${String(appId)} is not counted by ${span}`);
    }
}

/** O4: what was acknowledged is stored. */
function checkKnownLogins(world: World, logins: ReadonlyMap<string, StoredLogin>): void {
  const known = [...world.people.flatMap((person) => person.logins), ...world.graveyard];
  for (const login of known) {
    const sid = String(claimsOf(login.access[0]?.token ?? "")["sid"]);
    if (!logins.has(sid)) throw new Violation("O4", `${login.name} was told of ${sid}, which is not stored`);
  }
}

/** Events that are not delivered yet, without those that wait for a disabled endpoint. */
export async function waitingEvents({ node }: World): Promise<number> {
  const { db, tables } = node.ctx.storage.reader;
  const { webhookDeliveries: deliveries, webhookEndpoints: endpoints } = tables;
  const isOn = and(eq(endpoints.id, deliveries.endpointId), eq(endpoints.enabled, true));
  const rows = await db.select({ status: deliveries.status }).from(deliveries).innerJoin(endpoints, isOn);
  return rows.filter(({ status }) => status === "waiting").length;
}
