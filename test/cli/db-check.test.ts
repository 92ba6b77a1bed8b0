import { readdirSync } from "node:fs";
import { getTableColumns } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { day, hour } from "../../src/lib/clock.ts";
import { encryptedColumns } from "../../src/upkeep/database/encrypted-columns.ts";
import { readMigrations } from "../../src/storage/migrate.ts";
import { sqliteTables } from "../../src/storage/schema.ts";
import { nameInDatabase, tableNames } from "../../src/storage/table-names.ts";
import { call, signedUp } from "../support/person.ts";
import { withOrganizations } from "../support/organizations.ts";
import { describeEachDatabase, testMasterKey, type TestService } from "../support/service.ts";
import { describeEachPlace } from "./databases.ts";
import { answer, authsvc } from "./in-process.ts";
import { placeOf } from "./service-place.ts";
import { runSql } from "./sql.ts";

type Problems = { ok: boolean; problems: { check: string; problem: string }[] };

async function check(service: TestService, env: Record<string, string> = {}): Promise<Problems & { code: number }> {
  const place = placeOf(service);
  const { code, stdout, stderr } = await authsvc(["db", "check", "--json"], {
    ...place,
    env: { ...place.env, ...env },
  });
  if (stdout === "") throw new Error(stderr);
  return { ...(JSON.parse(stdout) as Problems), code: code ?? -1 };
}

/** A service with something of everything that `db check` looks at. */
async function used(service: TestService) {
  const app = await service.createApp();
  const person = await signedUp(service, app);
  await call(service, "POST", "/webhooks/endpoints", app.headers, {
    url: "https://93.184.215.14/hook",
    events: ["user.login"],
    secret: "0123456789abcdef0123456789abcdef",
  });
  return { app, userId: String(person.user["id"]) };
}

describeEachDatabase("db check", (current) => {
  it("finds nothing wrong with a service that is in use", async () => {
    const service = current();
    await used(service);
    expect(await check(service)).toEqual({ code: 0, ok: true, problems: [] });
    const { stdout } = await authsvc(["db", "check"], placeOf(service));
    expect(stdout).toBe("No problems found in the database.\n");
  });

  it("finds a secret that does not decrypt, a wrong count and a row from the future, each on a line", async () => {
    const service = current();
    const { app, userId } = await used(service);
    const encrypted = "SELECT encrypted_secret AS value FROM webhook_endpoints";
    const [row] = await runSql(service, `${encrypted} WHERE app_id = '${app.id}'`);
    await runSql(service, `UPDATE webhook_endpoints SET encrypted_secret = 'v1.AAAA' WHERE app_id = '${app.id}'`);
    await runSql(
      service,
      `UPDATE application_counters SET value = value + 1 WHERE app_id = '${app.id}' AND name = 'users'`,
    );
    const future = Date.now() + day;
    await runSql(service, `UPDATE users SET created_at = ${future} WHERE id = '${userId}'`);

    const { code, problems } = await check(service);
    expect(code).toBe(1);
    expect(problems).toEqual([
      { check: "secrets", problem: expect.stringMatching(/^1 of webhook_endpoints: encryptedSecret /u) },
      { check: "counters", problem: `${app.id}: 2 users counted, 1 present` },
      { check: "times", problem: "1 row of users with a timestamp in the future" },
    ]);
    const { stdout } = await authsvc(["db", "check"], placeOf(service));
    expect(stdout.trim().split("\n")).toHaveLength(3);

    await runSql(
      service,
      `UPDATE webhook_endpoints SET encrypted_secret = '${String(row?.["value"])}' WHERE app_id = '${app.id}'`,
    );
    await runSql(
      service,
      `UPDATE application_counters SET value = value - 1 WHERE app_id = '${app.id}' AND name = 'users'`,
    );
    await runSql(service, `UPDATE users SET created_at = ${Date.now() - hour} WHERE id = '${userId}'`);
    expect(await check(service)).toMatchObject({ code: 0, ok: true });
  });

  it("takes what happens later for no mistake: the next look at a domain, the end of an organization", async () => {
    const service = current();
    const { send, newOrganization } = await withOrganizations(service);
    for (const name of ["stays", "ends"]) {
      const { path } = await newOrganization();
      await send("POST", `${path}/domains`, { domain: `${name}.com` });
      if (name === "ends") await send("DELETE", path);
    }
    const [row] = await runSql(service, "SELECT max(next_check_at) AS value FROM organization_domains");
    expect(Number(row?.["value"])).toBeGreaterThan(0);
    await runSql(service, `UPDATE organization_domains SET next_check_at = ${Date.now() + hour}`);
    expect(await check(service)).toEqual({ code: 0, ok: true, problems: [] });
  });

  it("finds a login with outdated user data", async () => {
    const service = current();
    const { userId } = await used(service);
    for (const [column, value] of Object.entries({ email: "'o@example.com'", name: "'Other'", disabled_at: "1" })) {
      const asIs = `(SELECT ${column} FROM users WHERE id = '${userId}')`;
      await runSql(service, `UPDATE logins SET user_${column} = ${value} WHERE user_id = '${userId}'`);
      const { code, problems } = await check(service);
      expect({ code, problems }).toEqual({
        code: 1,
        problems: [{ check: "logins", problem: "1 login holds outdated user data" }],
      });
      await runSql(service, `UPDATE logins SET user_${column} = ${asIs} WHERE user_id = '${userId}'`);
    }
    expect(await check(service)).toMatchObject({ code: 0, ok: true });
  });

  it("finds a trigger of somebody else, and a missing master-key-check", async () => {
    const service = current();
    const [create, drop] =
      service.dialect === "sqlite"
        ? ["CREATE TRIGGER spy AFTER INSERT ON users BEGIN SELECT 1; END", "DROP TRIGGER spy"]
        : ["CREATE RULE spy AS ON INSERT TO users DO ALSO NOTHING", "DROP RULE spy ON users"];
    await runSql(service, create);
    const kind = service.dialect === "sqlite" ? "trigger" : "rule";
    const problem = `the ${kind} spy does not belong to authsvc`;
    expect(await check(service)).toMatchObject({ code: 1, problems: [{ check: "schema", problem }] });
    await runSql(service, drop);

    await runSql(service, "UPDATE facts SET name = 'elsewhere' WHERE name = 'master-key-check'");
    expect(await check(service)).toMatchObject({
      code: 1,
      problems: [{ check: "secrets", problem: expect.stringContaining("master-key-check") as string }],
    });
    await runSql(service, "UPDATE facts SET name = 'master-key-check' WHERE name = 'elsewhere'");
  });

  it("finds rows that belong to nobody", async () => {
    const service = current();
    const { userId } = await used(service);
    await runSql(service, `UPDATE passwords SET user_id = 'usr_gone' WHERE user_id = '${userId}'`, { unchecked: true });
    const { code, problems } = await check(service);
    expect({ code, problems }).toEqual({
      code: 1,
      problems: [{ check: "integrity", problem: "1 row of passwords refers to a missing row of users" }],
    });
    await runSql(service, `UPDATE passwords SET user_id = '${userId}' WHERE user_id = 'usr_gone'`, { unchecked: true });
  });

  it("says when the master key is another one", async () => {
    const { code, problems } = await check(current(), {
      AUTHSVC_MASTER_KEY: `${testMasterKey.slice(1)}A`,
    });
    expect({ code, problems }).toEqual({
      code: 1,
      problems: [{ check: "secrets", problem: "the master key does not belong to this database" }],
    });
  });
});

describe("what is encrypted", () => {
  it("is all looked at by db check", () => {
    const columns = tableNames.flatMap((table) =>
      Object.keys(getTableColumns(sqliteTables[table]))
        .filter((column) => column.startsWith("encrypted"))
        .map((column) => `${table}.${column}`),
    );
    expect(encryptedColumns.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(columns.toSorted());
  });
});

describeEachPlace("db status and db migrate", (place, dialect) => {
  const migrations = readMigrations(dialect).map(({ name }) => name);

  it("look at a database that is not there without making one", async () => {
    const before = readdirSync(place.cwd);
    const status = await answer(["db", "status"], place);
    expect(status).toMatchObject({ dialect, tables: [], schema: { applied: [], pending: migrations } });
    const dry = await authsvc(["db", "migrate", "--dry-run"], place);
    expect(dry).toMatchObject({ code: 0, stdout: migrations.map((name) => `${name} would be applied\n`).join("") });
    for (const command of [["check"], ["backup", "x.backup"]]) {
      const { code, stderr } = await authsvc(["db", ...command], place);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("No authsvc database found") });
    }
    expect(readdirSync(place.cwd)).toEqual(before);
    expect(await answer(["db", "status"], place)).toMatchObject({ schema: { applied: [] } });
  });

  it("apply the schema once, and show what is there", async () => {
    expect(await answer(["db", "migrate"], place)).toEqual({ applied: migrations });
    expect(await answer(["db", "migrate"], place)).toEqual({ applied: [] });
    const status = (await answer(["db", "status"], place)) as {
      bytes: number;
      tables: { table: string; rows: number }[];
    };
    expect(status).toMatchObject({
      dialect,
      schema: {
        applied: migrations.map((name) => ({ name, appliedAt: expect.stringMatching(/Z$/u) })),
        pending: [],
      },
      logBytes: dialect === "sqlite" ? expect.any(Number) : null,
      oldestExpired: null,
    });
    expect(status.bytes).toBeGreaterThan(10_000);
    expect(status.tables.map(({ table }) => table).toSorted()).toEqual(tableNames.map(nameInDatabase).toSorted());
    const events = (await answer(["audit", "list"], place)) as { action: string }[];
    expect(events.map(({ action }) => action)).toEqual(["database.migrate"]);
    const { stdout } = await authsvc(["db", "status"], place);
    expect(stdout).toMatch(/^audit_events +1$/mu);
  });
});

describeEachDatabase("db status of a service in use", (current) => {
  it("names what should have been swept away the longest time ago", async () => {
    const service = current();
    await signedUp(service, await service.createApp());
    const at = Date.now() - 3 * hour;
    await runSql(service, `UPDATE sign_in_sessions SET expires_at = ${at}`);
    expect(await answer(["db", "status"], placeOf(service))).toMatchObject({
      oldestExpired: { table: "sign_in_sessions", at: new Date(at).toISOString() },
    });
  });

  it("refuses a schema that is newer than the program", async () => {
    const service = current();
    await runSql(service, "INSERT INTO migrations VALUES ('9999_future', 'x', 0, '1.9.0')");
    for (const command of ["status", "migrate"]) {
      const { code, stderr } = await authsvc(["db", command], placeOf(service));
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("9999_future") });
    }
    expect(await check(service)).toMatchObject({ code: 1, problems: [{ check: "schema" }] });
    await runSql(service, "DELETE FROM migrations WHERE name = '9999_future'");
  });
});
