import Database from "better-sqlite3";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as audit from "../../src/records/audit/audit.ts";
import type { AuditFilter } from "../../src/records/audit/store.ts";
import * as people from "../../src/people/list.ts";
import type { Asked } from "../../src/people/list.ts";
import { lookFor } from "../../src/people/search-steps.ts";
import { personStates, type PeopleFilter } from "../../src/people/people-filter.ts";
import { searchText } from "../../src/people/search-text.ts";
import type { UserQuery } from "../../src/users/list-query.ts";
import * as userListings from "../../src/users/listing.ts";
import { consolePages, consoleSettings, fillForConsole } from "./console-pages.ts";
import { startTestService, type Dialect, type TestApp, type TestService } from "../support/service.ts";

const count = Number(process.env["AUTHSVC_LIST_USERS"] ?? 1_000_000);
const groupMembers = count / 10;
/** A page reads at most this many rows where its index does not cover the filter. */
const maxRead = 5000;

/** Names, instants and states that repeat, and a hundred thousand users who are alike in all. */
const usersSql = (dialect: Dialect, appId: string): string => {
  const [series, n] =
    dialect === "sqlite"
      ? [`WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count})`, "s"]
      : ["", `generate_series(1::bigint, ${count}) AS s(n)`];
  const verified = dialect === "sqlite" ? "1" : "true";
  return `${series} INSERT INTO users (id, app_id, email, email_verified, name, handle, created_at, updated_at,
      disabled_at, last_login_at, login_count)
    SELECT 'usr_' || (n + 1000000000), '${appId}', 'user' || n || '@example.com', ${verified},
      CASE WHEN n % 10 = 0 THEN NULL ELSE 'Name ' || (n * 7919 % 100000) END, 'handle' || n,
      CASE WHEN n % 10 = 0 THEN 1700000000000 ELSE 1700000000000 + n * 1000 END, 0,
      CASE WHEN n % 5000 = 0 THEN 1 END,
      CASE WHEN n % 3 = 0 THEN NULL ELSE 1760000000000 + n * 7919 % 1000000 * 1000 END, 0
    FROM ${n}`;
};

/** As if all were folded; on PostgreSQL the triggers did not run. */
const searchSql = `INSERT INTO user_search (user_id, app_id, created_at, folded, fold)
  SELECT id, app_id, created_at, lower(email || coalesce(' ' || name, '')), 1 FROM users WHERE true
  ON CONFLICT (user_id) DO UPDATE SET folded = excluded.folded, fold = excluded.fold`;

const searches: [text: string, filter: Partial<PeopleFilter>, found: number][] = [
  ["user", {}, 50],
  ["nobody", {}, 0],
  ["nobody", { appId: "app_big" }, 0],
  ["99999 name", { appId: "app_big" }, count / 100_000],
  ["usr_1000000777", {}, 1],
  ["name 777", { state: "disabled" }, 0],
  ["nobody", { appId: "app_big", groupId: "grp_all" }, 0],
];

const auditSql = (dialect: Dialect, appId: string): string => {
  const [series, n] =
    dialect === "sqlite"
      ? [`WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count})`, "s"]
      : ["", `generate_series(1::bigint, ${count}) AS s(n)`];
  return `${series} INSERT INTO audit_events (id, at, actor, action, result, app_id, user_id, ip_address, details)
    SELECT 'aud_' || (n + 1000000000), 1760000000000 + n * 1000,
      CASE WHEN n % 10000 = 0 THEN 'cli:root' ELSE 'user:usr_' || (n + 1000000000) END,
      CASE WHEN n % 10000 = 0 THEN 'user.disable' WHEN n % 50 = 0 THEN 'user.logout' ELSE 'user.login' END,
      CASE WHEN n % 100000 = 1 THEN 'failure' ELSE 'success' END, '${appId}', 'usr_' || (n + 1000000000),
      '192.0.2.' || (n % 256), '{}'
    FROM ${n}`;
};

const lists: Partial<Asked>[] = [
  {},
  { appId: "app_big" },
  ...personStates.flatMap((state) => [{ state }, { state, appId: "app_big" }]),
  { method: "passkey" },
  { method: "provider:google" },
  { method: "none", lacksFactor: true },
  { lacksFactor: true },
  { state: "disabled", method: "password" },
  { group: "everybody", appId: "app_big" },
  { group: "everybody", appId: "app_big", state: "disabled" },
];

const instant = 1_760_500_000_000;
const queries: UserQuery[] = [
  {},
  { sort: "-createdAt" },
  { sort: "name" },
  { sort: "-name" },
  { sort: "lastLoginAt" },
  { sort: "-lastLoginAt" },
  { email: `user${Math.floor(count / 2)}@example.com` },
  { name: "name 4" },
  { name: "name 4", sort: "-name", state: "active" },
  { name: "nobody" },
  { group: "everybody" },
  { group: "everybody", name: "name 99999" },
  { state: "disabled" },
  { state: "disabled", sort: "-lastLoginAt" },
  { state: "active" },
  { createdSince: 1_700_000_500_000, createdBefore: 1_700_000_900_000 },
  { createdSince: 1_700_000_500_000, name: "name 4" },
  { lastLoginSince: instant },
  { lastLoginBefore: instant },
  { lastLoginBefore: instant, createdSince: 1_700_000_500_000, sort: "-createdAt" },
];

const audits: AuditFilter[] = [
  {},
  { action: "user.disable" },
  { actor: "cli:root" },
  { actor: "user:usr_1000000500" },
  { ipAddress: "192.0.2.7" },
  { result: "success" },
  // Rare.
  { result: "failure" },
  { appId: "app_big", result: "failure" },
  { appId: "app_90", action: "user.login" },
  { action: "user.login", result: "failure" },
  { appId: "app_big", action: "user.login", result: "failure" },
  { action: "user.logout", result: "failure", since: 1_760_000_900_000, before: 1_760_001_500_000 },
  { target: "cli_none", appId: "app_big", action: "user.login" },
];

type Statement = { text: string; values: unknown[] };

/** What the service asks of users while it lists them. */
const asked: Statement[] = [];
let isListening = false;
const { prepare } = Database.prototype;
const { query } = Client.prototype;

function listen(): void {
  Database.prototype.prepare = function (this: Database.Database, text: string) {
    const statement = prepare.call(this, text);
    const all = statement.all.bind(statement) as (...values: unknown[]) => unknown[];
    statement.all = (...values: unknown[]) => {
      if (isListening) asked.push({ text, values });
      return all(...values);
    };
    return statement;
  } as typeof prepare;
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const [first, second] = given as [string | { text?: string; values?: unknown[] }, unknown[] | undefined];
    const text = typeof first === "string" ? first : (first.text ?? "");
    const values = (typeof first === "string" ? second : (first.values ?? second)) ?? [];
    if (isListening) asked.push({ text, values: Array.isArray(values) ? values : [] });
    return (query as (...all: unknown[]) => unknown).apply(this, given);
  } as typeof query;
}

type PlanNode = {
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
};

/** By the scans, the leaves of a plan: what joins and sorts pass on was read once. */
function rowsRead(node: PlanNode): number {
  const { Plans: inner = [] } = node;
  if (inner.length > 0) return inner.map(rowsRead).reduce((sum, rows) => sum + rows, 0);
  return (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
}

describe.each<Dialect>(["sqlite", "postgres"])("lists among a million users and audit events (%s)", (dialect) => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let service: TestService;
  let app: TestApp;
  let sqlite: Database.Database | undefined;
  let postgres: Client | undefined;
  let ids: Awaited<ReturnType<typeof fillForConsole>>;
  const times: string[] = [];
  /** Those of PostgreSQL that work for the service: not those that vacuum. */
  const backends = async (): Promise<number[]> => {
    const sql = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND backend_type = 'client backend'`;
    const { rows } = (await postgres?.query<{ pid: number }>(sql)) ?? { rows: [] };
    return rows.map(({ pid }) => pid);
  };

  beforeAll(async () => {
    running = await startTestService(dialect, consoleSettings);
    ({ service } = running);
    app = await service.createApp({ id: "app_big" });
    if (dialect === "sqlite") sqlite = new Database(`${service.dataDir}/authsvc.db`);
    else await (postgres = new Client(service.config.database.url)).connect();
    // None of this needs to survive a crash, and references are correct by construction.
    sqlite?.pragma("synchronous = OFF");
    sqlite?.pragma("cache_size = -500000");
    await postgres?.query("SET session_replication_role = replica");
    const group = `INSERT INTO groups (id, app_id, name, created_at) VALUES ('grp_all', '${app.id}', 'everybody', 0)`;
    const members = `INSERT INTO group_members (group_id, user_id, created_at)
      SELECT 'grp_all', id, 0 FROM users WHERE email <> 'x' ORDER BY handle LIMIT ${groupMembers}`;
    const run = async (sql: string): Promise<unknown> => sqlite?.exec(sql) ?? (await postgres?.query(sql));
    for (const sql of [usersSql(dialect, app.id), searchSql, auditSql(dialect, app.id), group, members]) await run(sql);
    ids = await fillForConsole(service, { appId: app.id, users: count, run });
    // As autovacuum does within minutes. SQLite has no statistics in the service either.
    await postgres?.query("VACUUM ANALYZE");
    // The time of parallel workers would not be seen.
    await postgres?.query(`ALTER DATABASE ${postgres.database} SET max_parallel_workers_per_gather = 0`);
    if (postgres) await running.restart();
    listen();
  }, 900_000);
  afterAll(async () => {
    Database.prototype.prepare = prepare;
    Client.prototype.query = query;
    process.stdout.write(`${dialect}\n${times.join("\n")}\n`);
    sqlite?.close();
    await postgres?.end();
    await running.stop();
  });

  /** Asks three times, and explains what the last one asked of the database. */
  async function expectIndexes(title: string, ask: () => Promise<unknown>): Promise<void> {
    const took: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      asked.length = 0;
      isListening = true;
      const began = performance.now();
      await ask();
      took.push(performance.now() - began);
      isListening = false;
    }
    times.push(`${Math.min(...took).toFixed(1)} ms  ${title}`);
    const statements = asked.filter(({ text }) =>
      /^select.* from \(?(?:"audit_events"|"users"|"user_search"|"group_members"|"email_tokens"|\(select)/isu.test(
        text,
      ),
    );
    expect(statements.length).toBeGreaterThan(0);
    for (const { text, values } of statements) {
      if (sqlite) {
        const plan = sqlite.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[];
        // One user's events are few, what a page scans is limited, the newest events end an index.
        const isSmall = plan.some(({ detail }) =>
          /audit_events_user_id|audit_events_at|audit_failures|^SCAN scanned/u.test(detail),
        );
        // A page reads as much of these as it shows, or 2,000 rows.
        const whole =
          /^SCAN (?!scanned|\w+ USING INDEX (?:user_search_newest|users_disabled_newest|email_tokens_invited)$)/u;
        const slow = plan.filter(({ detail }) => whole.test(detail) || detail.includes("TEMP B-TREE FOR ORDER BY"));
        expect([title, slow.length > 0 && !isSmall ? { text, plan } : "indexes"]).toEqual([title, "indexes"]);
      } else {
        const { rows } = (await postgres?.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)) ?? { rows: [] };
        const plan = (rows[0] as { "QUERY PLAN": [{ Plan: PlanNode }] })["QUERY PLAN"][0].Plan;
        expect([title, rowsRead(plan) <= 4 * maxRead ? "few" : JSON.stringify(plan)]).toEqual([title, "few"]);
      }
    }
  }

  it.each(audits.map((wanted) => [JSON.stringify(wanted), wanted] as const))("audit: %s", async (title, wanted) => {
    await expectIndexes(title, () => audit.list(service.server.app.ctx, { ...wanted, limit: 100 }));
  });

  it.each(queries.map((query) => [JSON.stringify(query), query] as const))("users: %s", async (title, query) => {
    const { ctx } = service.server.app;
    const first = await userListings.page(ctx, app.id, query, { cursor: undefined, limit: 50 });
    await expectIndexes(title, () => userListings.page(ctx, app.id, query, { cursor: undefined, limit: 50 }));
    const cursor = first.nextCursor;
    if (cursor !== null)
      await expectIndexes(`${title}, second page`, () => userListings.page(ctx, app.id, query, { cursor, limit: 50 }));
  });

  it.each(lists.map((asked) => [JSON.stringify(asked), asked] as const))("people: %s", async (title, asked) => {
    const { ctx } = service.server.app;
    const wanted = await people.checked(ctx, { appId: undefined, ...asked });
    const { next } = await people.page(ctx, wanted, { after: undefined, limit: 50 });
    await expectIndexes(`people ${title}`, () => people.page(ctx, wanted, { after: undefined, limit: 50 }));
    if (next)
      await expectIndexes(`people ${title}, second page`, () => people.page(ctx, wanted, { after: next, limit: 50 }));
  });

  it.each(searches)("searches for %j with %j, slice by slice", async (text, filter, count) => {
    const { reader } = service.server.app.ctx.storage;
    const search = {
      text: searchText(text),
      filter: { appId: undefined, state: undefined, groupId: undefined, ...filter },
    };
    asked.length = 0;
    isListening = true;
    const began = process.cpuUsage();
    const wall = performance.now();
    const { found } = await lookFor(reader, { search, after: undefined, limit: 50, milliseconds: Infinity });
    const { user, system } = process.cpuUsage(began);
    const took = dialect === "sqlite" ? (user + system) / 1000 : performance.now() - wall;
    isListening = false;
    times.push(`${took.toFixed(0)} ms  search for ${text} ${JSON.stringify(filter)}, everybody`);
    if (count > 0) expect(found.length).toBeGreaterThan(0);
    else expect(found).toEqual([]);
    const slices = asked.filter(({ text }) => /from "user_search"/u.test(text));
    expect(slices.length).toBeGreaterThan(0);
    for (const { text, values } of [...slices.slice(0, 6), ...slices.slice(-2)]) {
      if (sqlite) {
        const plan = sqlite.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values) as { detail: string }[];
        // The two parts of a slice; those who wait to be folded, by their own index.
        const index = /user_search USING (?:COVERING )?INDEX user_search_(?:stale|newest)/u;
        const isBounded = plan.some(({ detail }) => index.test(detail));
        const isSorted = plan.some((step) => /TEMP B-TREE|^SCAN users/u.test(step.detail));
        expect([isBounded && !isSorted ? "a slice" : { text, plan }]).toEqual(["a slice"]);
      } else {
        const { rows } = (await postgres?.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)) ?? { rows: [] };
        const plan = (rows[0] as { "QUERY PLAN": [{ Plan: PlanNode }] })["QUERY PLAN"][0].Plan;
        expect(rowsRead(plan) <= 50_100 ? "a slice" : JSON.stringify(plan)).toBe("a slice");
      }
    }
  });

  consolePages(() => ({ service, ids, backends }));
});
