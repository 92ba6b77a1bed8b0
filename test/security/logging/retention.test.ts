import { decodeJwt } from "jose";
import { count, eq, getTableColumns, getTableName } from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { beforeAll, expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import { sqliteTables } from "../../../src/storage/schema.ts";
import { createClient } from "../../support/clients-logout.ts";
import { signedUp } from "../../support/person.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

/** Why a table does not grow without end. */
type Bound =
  /**
   * A sweep removes rows whose instant has passed. `row`: what a row of it needs beyond the usual;
   * `isOneOfUser`: a second row is of somebody else.
   */
  | { sweptBy: string; row?: Record<string, unknown>; isOneOfUser?: boolean }
  /** Something else, that has a test of its own (named) or is plain from its key. */
  | { because: string };

const bounds: Record<string, Bound> = {
  applications: { because: "operators make them, and delete them" },
  apiKeys: { sweptBy: "revokedAt" },
  oauthProviders: { because: "50 of an application (logging-caps.test.ts)" },
  applicationCounters: { sweptBy: "day", row: { name: "active", shard: 0, value: 1 } },
  users: { because: "one for an address in an application; goes with the user, or the application" },
  passwords: { because: "one of a user" },
  passwordFailures: { sweptBy: "updatedAt" },
  passkeys: { because: "20 of a user (logging-caps.test.ts)" },
  oauthIdentities: { because: "one for an account at a provider; goes with the user" },
  signInSessions: { sweptBy: "expiresAt" },
  passkeyChallenges: { sweptBy: "expiresAt" },
  oauthStates: { sweptBy: "expiresAt" },
  browserSessions: { sweptBy: "expiresAt" },
  knownBrowsers: { sweptBy: "expiresAt" },
  emailTokens: { sweptBy: "expiresAt" },
  mailAllowances: { sweptBy: "since" },
  refusedSignUps: { sweptBy: "refusedAt" },
  approvalNotices: { because: "one of an application" },
  logins: { sweptBy: "expiresAt" },
  signingKeys: { because: "rotation removes what signs no more (below)" },
  revocations: { sweptBy: "at" },
  mails: { sweptBy: "expiresAt" },
  sentMails: { sweptBy: "sentAt" },
  webhookEndpoints: { because: "20 of an application (webhooks-endpoints.test.ts)" },
  webhookDeliveries: { sweptBy: "occurredAt", row: { nextAttemptAt: null } },
  auditEvents: { sweptBy: "at" },
  auditSenders: { because: "one" },
  auditSendings: { because: "what the receiver of audit.syslog has not confirmed: 1,000, and what one minute sends" },
  deletedApplications: { because: "one for an application that an operator deleted" },
  facts: { because: "a handful of fixed names" },
  rateLimitCounts: { sweptBy: "endsAt" },
  activityCounts: { sweptBy: "startsAt", row: { span: "hour", event: "sign-in", shard: 0 } },
  clients: { because: "only an operator creates them" },
  proxyHosts: { because: "20 of a client, which only an operator creates" },
  clientSecrets: { sweptBy: "revokedAt" },
  authorizationRequests: { sweptBy: "expiresAt" },
  deviceRequests: { sweptBy: "expiresAt" },
  usedAssertions: { sweptBy: "expiresAt" },
  consents: { because: "one for a user at a client; goes with either. 100 of a user to those that nobody registered" },
  clientDocuments: { sweptBy: "updatedAt" },
  groups: { because: "1,000 of an application (groups.test.ts)" },
  groupMembers: { because: "64 of a user (groups.test.ts)" },
  resources: { because: "100 of an application (resources.test.ts)" },
  termsAnswers: { because: "one of a user for each version that an operator asked for" },
  userSearch: { because: "one for a user" },
  organizations: { because: "100,000 of an application; a bare row stays of a deleted one" },
  organizationSlugs: { because: "four of an organization" },
  organizationMembers: { because: "10,000 of an organization, 100 of a user" },
  organizationMemberRoles: { because: "16 of a member" },
  organizationBlocks: { because: "one for a member whom somebody removed" },
  organizationInvitations: { sweptBy: "expiresAt" },
  organizationDomains: { because: "10 of an organization" },
  organizationChanges: { sweptBy: "at" },
  organizationProviders: { because: "two of an organization" },
  organizationIdentities: { because: "one of a member at each issuer" },
  organizationRelinks: { sweptBy: "expiresAt", isOneOfUser: true },
  organizationVisits: { sweptBy: "expiresAt" },
  organizationSetupLinks: { sweptBy: "expiresAt" },
  organizationFactorFailures: { because: "one of a member; goes with the user, or the organization" },
  secondFactors: { because: "one of a user" },
  recoveryCodes: { because: "10 of a user; new ones replace them" },
  trustedBrowsers: { sweptBy: "expiresAt" },
  personalTokens: { sweptBy: "expiresAt" },
  pictures: {
    because:
      "one of a user, an application, a client; goes with it. What undo brings back goes after an hour (uploads.test.ts)",
  },
  operators: { because: "only an operator invites them" },
  operatorSessions: { sweptBy: "seenAt" },
  proxyLogins: { sweptBy: "expiresAt" },
};

const day = 24 * 60 * 60_000;

describeSqliteFirst("what is kept", (service) => {
  let owners: Record<string, unknown>;
  let somebodyElse: Record<string, unknown>;
  let made = 0;
  beforeAll(async () => {
    const app = await service.createApp();
    const { user, accessToken } = await signedUp(service, app);
    const { ctx } = service.server.app;
    const { storage } = ctx;
    const endpoint = { url: "https://hooks.example.com/", events: ["user.login"], secret: "whsec_".padEnd(38, "A") };
    const { id: endpointId } = await webhooks.create(ctx, app.id, endpoint, {
      actor: { kind: "cli", name: "test" },
    });
    const [session] = await storage.reader.db.select().from(storage.reader.tables.signInSessions);
    const organizationId = "org_1";
    await storage.write(async ({ db, tables }) => {
      const instants = { createdAt: 0, updatedAt: 0 };
      const organization = { id: organizationId, appId: app.id, name: "A", slug: "a", invitationCount: 0, ...instants };
      await db.insert(tables.organizations).values({ ...organization, ownedAt: 0 });
    });
    somebodyElse = { userId: (await signedUp(service, app)).user["id"] };
    owners = {
      organizationId,
      clientId: await createClient(service, app),
      appId: app.id,
      loginId: decodeJwt(accessToken)["sid"],
      userId: user["id"],
      endpointId,
      sessionDigest: session?.digest,
    };
  });

  /** A row with something in every column that must have it, of one moment. */
  function rowOf(table: SQLiteTable, instant: string, at: number, more: Record<string, unknown> = {}) {
    made += 1;
    const columns: [string, SQLiteColumn][] = Object.entries(getTableColumns(table));
    const row = columns.flatMap(([key, column]): [string, unknown][] => {
      if (key === instant) return [[key, key === "day" ? Math.floor(at / day) : at]];
      if (key in more) return [[key, more[key]]];
      if (key in owners && column.notNull) return [[key, owners[key]]];
      if (!column.notNull) return [];
      if (column.dataType === "json") return [[key, []]];
      if (column.dataType === "boolean") return [[key, true]];
      return [[key, column.dataType === "number" ? at : `${key} ${made}`]];
    });
    return Object.fromEntries(row);
  }

  const tablesOf = ({ server }: TestService): Record<string, SQLiteTable> => server.app.ctx.storage.reader.tables;

  it("G6: every table that grows is swept or bounded", () => {
    expect(Object.keys(sqliteTables).toSorted()).toEqual(Object.keys(bounds).toSorted());
    expect(Object.keys(tablesOf(service)).toSorted()).toEqual(Object.keys(bounds).toSorted());
  });

  const swept = Object.entries(bounds).flatMap(([name, bound]) => ("sweptBy" in bound ? [{ name, ...bound }] : []));
  it.each(swept)(
    "G6: a sweep removes what is over from $name, and keeps what is not",
    async ({ name, sweptBy, row, isOneOfUser = false }) => {
      const { ctx, sweep } = service.server.app;
      const { storage } = ctx;
      const table = tablesOf(service)[name] as SQLiteTable;
      const instant = getTableColumns(table)[sweptBy] as SQLiteColumn;
      const { now } = service.clock;
      // Tomorrow: today has counters of its own already.
      const [old, young] = [now - 800 * day, now + day];
      await storage.write(async ({ db }) => {
        const another = isOneOfUser ? { ...row, ...somebodyElse } : row;
        await db.insert(table).values([rowOf(table, sweptBy, old, row), rowOf(table, sweptBy, young, another)]);
      });
      await sweep();
      const rows = await storage.reader.db.select({ instant }).from(table);
      const moments = rows.map((found) => Number(found.instant) * (sweptBy === "day" ? day : 1));
      // Totals have no day, keys that are in use no end.
      expect(moments.filter((moment) => moment > 0 && moment < now - 400 * day)).toEqual([]);
      expect(moments).toContain(sweptBy === "day" ? Math.floor(young / day) * day : young);
    },
  );

  it("G6: whatever belongs to a user or an application goes with it", () => {
    // Counts of the whole service; those of an application go with it (activity.test.ts).
    const ownerless = [
      "applications",
      "deleted_applications",
      "facts",
      "signing_keys",
      "audit_events",
      "audit_senders",
      "audit_sendings",
      "activity_counts",
    ];
    // Known by a digest of an address or a key, or by a session: each is swept.
    // What outlives a deletion by a day, so that verifiers hear of it, is swept too.
    const swept = ["revocations", "client_documents", "organization_changes"];
    const digests = ["password_failures", "mail_allowances", "oauth_states", "rate_limit_counts", "used_assertions"];
    for (const table of Object.values(sqliteTables)) {
      const cascades = getTableConfig(table).foreignKeys.filter(({ onDelete }) => onDelete === "cascade");
      expect(getTableConfig(table).foreignKeys.length, getTableName(table)).toBe(cascades.length);
      expect(cascades.length > 0, getTableName(table)).toBe(
        ![...ownerless, ...swept, ...digests].includes(getTableName(table)),
      );
    }
  });

  it("G6: signing keys come and go: a year of rotation leaves three", async () => {
    const { ctx, sweep } = service.server.app;
    const { storage } = ctx;
    const { signingKeys } = storage.reader.tables;
    const seen = new Set<string>();
    for (let month = 0; month < 12; month += 1) {
      service.clock.advance(30 * day);
      await sweep();
      const keys = await storage.reader.db.select().from(signingKeys).where(eq(signingKeys.algorithm, "ES256"));
      for (const { id } of keys) seen.add(id);
      expect(keys.length).toBeLessThanOrEqual(3);
    }
    expect(seen.size).toBeGreaterThan(10);
  });

  it("G6: the audit log forgets addresses after 30 days and events after 90, and each sweep continues where the last one ended", async () => {
    const { ctx, sweep } = service.server.app;
    const { storage } = ctx;
    const { auditEvents } = storage.reader.tables;
    await storage.write(async ({ db }) => void (await db.delete(auditEvents)));
    const start = service.clock.now;
    const record = async (at: number, times = 1): Promise<void> => {
      const source = { ipAddress: "192.0.2.1", userAgent: null, requestId: "req_1" };
      const event = {
        actor: { kind: "user", name: "usr_1" },
        action: "sign-in",
        result: "success",
        source,
      } as const;
      await storage.write(async (tx) => {
        for (let time = 0; time < times; time += 1) await audit.record(ctx, tx, event, at);
      });
    };
    const addresses = async (): Promise<(string | null)[]> => {
      const rows = await storage.reader.db.select().from(auditEvents).orderBy(auditEvents.at);
      return rows.filter(({ action }) => action === "sign-in").map(({ ipAddress }) => ipAddress);
    };
    // More than one batch at one moment.
    await record(start, 1100);
    await record(start + 2 * day);
    service.clock.advance(30 * day - 1000);
    await sweep();
    expect(new Set(await addresses())).toEqual(new Set(["192.0.2.1"]));
    service.clock.advance(2000);
    await sweep();
    expect((await addresses()).filter((address) => address !== null)).toHaveLength(1);
    service.clock.advance(3 * day);
    await sweep();
    expect((await addresses()).filter((address) => address !== null)).toEqual([]);
    expect(await addresses()).toHaveLength(1101);
    service.clock.advance(57 * day);
    await sweep();
    expect(await addresses()).toHaveLength(1);
    service.clock.advance(3 * day);
    await sweep();
    const [left] = await storage.reader.db
      .select({ rows: count() })
      .from(auditEvents)
      .where(eq(auditEvents.action, "sign-in"));
    expect(left?.rows).toBe(0);
  });
});
