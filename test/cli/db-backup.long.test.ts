import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { findMiscounts } from "../../src/applications/counter-store.ts";
import * as consents from "../../src/applications/clients/consents.ts";
import * as clientSecrets from "../../src/applications/clients/secrets.ts";
import { readMigrations } from "../../src/storage/migrate.ts";
import { openAccount } from "../support/account.ts";
import { signedUpIn } from "../support/adding.ts";
import { newUser } from "../support/mail-flows.ts";
import { bearer, giveFactor } from "../support/methods.ts";
import { basic, post } from "../support/openid-tokens.ts";
import { createTestClient } from "../support/openid.ts";
import { call, isLive, newEmail, redeem, refresh, signedUp, signIn, signUp, Visitor } from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import {
  describeEachDatabase,
  startTestService,
  testMasterKey,
  type Dialect,
  type TestApp,
  type TestService,
} from "../support/service.ts";
import { emptyFolder } from "./command.ts";
import { dialectsOfCommands } from "./databases.ts";
import { everyRow } from "./database-rows.ts";
import { answer, authsvc } from "./in-process.ts";
import { placeOf } from "./service-place.ts";

type Restored = { tables: { table: string; rows: number }[]; keptAs: string | null };
type BackupAnswer = {
  file: string;
  bytes: number;
  dialect: string;
  schema: string;
  tables: { table: string; rows: number }[];
};

async function backUp(service: TestService, file = join(emptyFolder(), "authsvc.backup")): Promise<BackupAnswer> {
  return (await answer(["db", "backup", file], placeOf(service))) as BackupAnswer;
}

function rowsOf({ tables }: { tables: { table: string; rows: number }[] }, name: string): number | undefined {
  return tables.find(({ table }) => table === name)?.rows;
}

/**
 * Restores a backup into a new database, with the master key that it needs, and starts a service on
 * it.
 */
async function startRestored(dialect: Dialect, source: TestService, backup: string) {
  const masterKey = source.config.masterKey ?? readFileSync(join(source.config.dataDir, "master.key"), "utf8").trim();
  const url = dialect === "postgres" ? await createTestDatabase() : undefined;
  const config = { masterKey, dataDir: emptyFolder(), database: { url, poolSize: 5 } };
  await answer(["db", "restore", backup], placeOf({ config }));
  return await startTestService(dialect, config);
}

describeEachDatabase("db backup", (current) => {
  it("writes one private file with everything in it, and nothing beside it", async () => {
    const service = current();
    await signedUp(service, await service.createApp());
    const folder = emptyFolder();
    const { file, bytes, dialect, schema, tables } = await backUp(service, join(folder, "a.backup"));
    expect({ dialect, schema }).toEqual({
      dialect: service.dialect,
      schema: readMigrations(service.dialect).at(-1)?.name,
    });
    expect(readdirSync(folder)).toEqual(["a.backup"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).size).toBe(bytes);
    const copy = new Database(file, { readonly: true });
    expect(copy.pragma("journal_mode", { simple: true })).toBe("delete");
    expect(copy.prepare("SELECT count(*) AS users FROM users").get()).toEqual({ users: rowsOf({ tables }, "users") });
    copy.close();
    const { stderr } = await authsvc(["db", "backup", file, "--yes"], placeOf(service));
    expect(stderr).toContain("the master key");
    expect(readdirSync(folder)).toEqual(["a.backup"]);
  });

  it("replaces no file without being told", async () => {
    const service = current();
    const file = join(emptyFolder(), "precious");
    writeFileSync(file, "something else");
    const refused = await authsvc(["db", "backup", file], placeOf(service));
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    expect(readFileSync(file, "utf8")).toBe("something else");
    const nowhere = await authsvc(["db", "backup", join(file, "x", "y")], placeOf(service));
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining("FILE") });
  });

  it("is of one moment while people sign up, and restores into a service on which they can sign in", async () => {
    const service = current();
    const app = await service.createApp();
    const early = { email: newEmail() };
    await redeem(service, app, await signUp(service, app, early));
    const backedUp = new AbortController();
    const load = Array.from({ length: 4 }, async () => {
      while (!backedUp.signal.aborted) await redeem(service, app, await signUp(service, app));
    });
    const backup = await backUp(service);
    backedUp.abort();
    await Promise.all(load);

    const other: Dialect = service.dialect === "sqlite" ? "postgres" : "sqlite";
    for (const dialect of [service.dialect, other]) {
      const { service: restored, stop } = await startRestored(dialect, service, backup.file);
      const check = await answer(["db", "check"], placeOf(restored));
      expect(check).toEqual({ ok: true, problems: [] });
      const tokens = await redeem(restored, app, await signIn(restored, app, early));
      expect(tokens.user["email"]).toBe(early.email);
      await stop();
    }
  });
});

describe.each<Dialect>(["sqlite", "postgres"])("db restore (%s)", (dialect) => {
  it("refuses while the service runs, with the database as it was", async () => {
    const { service, stop } = await startTestService(dialect);
    await signedUp(service, await service.createApp());
    const { file } = await backUp(service);
    const before = await everyRow(databaseOf(service));
    const { code, stderr } = await authsvc(["db", "restore", file, "--yes"], placeOf(service));
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("in use") });
    expect(await everyRow(databaseOf(service))).toEqual(before);
    expect(readdirSync(service.dataDir).filter((name) => name.includes("restor"))).toEqual([]);
    await stop();
  });

  it("goes back to the backup when the service is stopped and --yes is said", async () => {
    const { service, stop } = await startTestService(dialect);
    const app = await service.createApp();
    const { file, tables } = await backUp(service);
    const late = { email: newEmail() };
    await redeem(service, app, await signUp(service, app, late));
    await service.server.close();

    const before = await everyRow(databaseOf(service));
    const unsaid = await authsvc(["db", "restore", file], placeOf(service));
    expect(unsaid).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    const dry = await answer(["db", "restore", file, "--dry-run"], placeOf(service));
    expect(dry).toMatchObject({ dryRun: true, replaced: true, keptAs: null });
    expect(await everyRow(databaseOf(service))).toEqual(before);

    const done = (await answer(["db", "restore", file, "--yes"], placeOf(service))) as Restored;
    expect(rowsOf(done, "users")).toBe(rowsOf({ tables }, "users"));
    if (dialect === "sqlite") {
      expect(await everyRow({ url: undefined, file: String(done.keptAs) })).toEqual(before);
      expect(statSync(String(done.keptAs)).mode & 0o777).toBe(0o600);
    } else expect(done.keptAs).toBeNull();

    const again = await startTestService(dialect, service.config);
    await expect(signIn(again.service, app, late)).rejects.toThrow("sign-in answered");
    const events = (await answer(["audit", "list"], placeOf(service))) as { action: string }[];
    expect(events.map(({ action }) => action)).toContain("database.restore");
    await again.stop();
    await stop().catch(() => {});
  });
});

describe.each(dialectsOfCommands())("what was signed in when the backup was made (%s)", (dialect) => {
  /**
   * Somebody with a login, two account pages, a code, a reset link, and a client that they agreed
   * to and that has pushed a request: all of it is used up or revoked after the backup.
   */
  async function backedUp() {
    const { service, stop } = await startTestService(dialect);
    const app = await service.createApp();
    const person = await signedUpIn(service, app);
    const code = await signIn(service, app, person);
    const reset = (await answer(["user", "reset-link", String(person.user["id"])], placeOf(service))) as {
      link: string;
    };
    await agreedTo(service, app, person);
    await giveFactor(service, (await newUser(service, app)).id);
    const { file } = await backUp(service);
    const masterKey =
      dialect === "sqlite" ? readFileSync(join(service.dataDir, "master.key"), "utf8").trim() : testMasterKey;
    await redeem(service, app, code);
    await call(service, "POST", "/auth/logout", bearer(person.accessToken), { allSessions: true });
    await stop();
    return { app, person, code, link: new URL(reset.link).pathname, file, masterKey };
  }

  async function restoredWith(from: Awaited<ReturnType<typeof backedUp>>, ...flags: string[]) {
    const { masterKey } = from;
    const url = dialect === "postgres" ? await createTestDatabase() : undefined;
    const config = { masterKey, dataDir: emptyFolder(), database: { url, poolSize: 5 } };
    const said = await authsvc(["db", "restore", from.file, ...flags], placeOf({ config }));
    expect(said.code).toBe(0);
    return { config, said, rows: await everyRow({ url, file: join(config.dataDir, "authsvc.db") }) };
  }

  it("is ended by a restore, which says so before it asks; nothing else is revived, kept or used up", async () => {
    const from = await backedUp();
    const { app, person, code, link } = from;
    const dry = await authsvc(["db", "restore", from.file, "--dry-run"], placeOf(await restoredWith(from)));
    expect(dry.stderr).toContain("would end every login of the backup (1) and account page (2)");
    const ended = await restoredWith(from);
    expect(ended.said.stderr).toContain("ends every login of the backup (1) and account page (2)");
    const kept = await restoredWith(from, "--keep-logins");
    expect(kept.said.stderr).toContain("those that have ended or were used since then work again");
    const touched = [
      "logins",
      "browserSessions",
      "signInSessions",
      "oauthStates",
      "emailTokens",
      "mails",
      "auditEvents",
      "consents",
      "authorizationRequests",
      "trustedBrowsers",
      "applicationCounters",
    ];
    const others = ({ rows }: typeof ended) => Object.entries(rows).filter(([table]) => !touched.includes(table));
    expect(others(ended)).toEqual(others(kept));
    const askedAgain = ({ rows: { consents, authorizationRequests, trustedBrowsers } }: typeof ended) => [
      consents?.length,
      authorizationRequests?.length,
      trustedBrowsers?.length,
    ];
    expect([askedAgain(ended), askedAgain(kept)]).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ]);

    const { service, stop } = await startTestService(dialect, ended.config);
    const { storage, clock } = service.server.app.ctx;
    expect(await findMiscounts(storage.reader, clock())).toEqual([]);
    expect(await isLive(service, app, person)).toBe(false);
    expect((await refresh(service, app, person.refreshToken)).status).toBe(401);
    expect((await openAccount(service, app, person.visitor)).location.pathname).toMatch(/^\/sign-in\//u);
    await expect(redeem(service, app, code)).rejects.toThrow("400");
    expect((await new Visitor().get(service.url + link)).text).not.toContain('type="password"');
    await redeem(service, app, await signIn(service, app, person));
    await stop();
  });

  it("works again after a restore with --keep-logins", async () => {
    const from = await backedUp();
    const { config } = await restoredWith(from, "--keep-logins");
    const { service, stop } = await startTestService(dialect, config);
    expect((await refresh(service, from.app, from.person.refreshToken)).status).toBe(200);
    await redeem(service, from.app, from.code);
    expect((await new Visitor().get(service.url + from.link)).text).toContain('type="password"');
    await stop();
  });
});

/** A client that a person agreed to, and that has pushed a request. */
async function agreedTo(service: TestService, app: TestApp, { user }: { user: Record<string, unknown> }) {
  const { server, clock } = service;
  const client = await createTestClient(service, app, { consent: "ask" });
  const by = { kind: "cli", name: "test" } as const;
  const { secret } = await clientSecrets.createSecret(server.app.ctx, { clientId: client.id }, by);
  const consent = { client, userId: String(user["id"]), scopes: ["openid"] };
  await server.app.ctx.storage.write((tx) => consents.agree(tx, consent, clock.now));
  const asked = { response_type: "code", scope: "openid", redirect_uri: client.redirectUris[0] ?? "" };
  const { status } = await post(service, "/oauth2/par", asked, basic({ client, secret }));
  if (status !== 201) throw new Error(`pushing answered ${status}`);
}

function databaseOf({ config }: TestService) {
  return { url: config.database.url, file: join(config.dataDir, "authsvc.db") };
}

describe("db restore of a file that is no good", () => {
  it("says why, and changes nothing", async () => {
    const { service, stop } = await startTestService("sqlite");
    await signedUp(service, await service.createApp());
    const { file } = await backUp(service);
    await stop();
    const cwd = emptyFolder();
    const data = join(cwd, "data");
    await answer(["app", "create", "--name", "Kept", "--id", "app_kept"], { cwd });
    const before = await everyRow({ url: undefined, file: join(data, "authsvc.db") });

    const variant = (name: string, change: (copy: string) => void): string => {
      const copy = join(cwd, name);
      copyFileSync(file, copy);
      change(copy);
      return copy;
    };
    const run = (sql: string) => (copy: string) => {
      const connection = new Database(copy);
      connection.exec(sql);
      connection.close();
    };
    const bad: [file: string, code: number, reason: string][] = [
      [join(cwd, "missing"), 2, "does not exist"],
      [variant("text", (copy) => writeFileSync(copy, "not a database ".repeat(100))), 4, "not a backup"],
      [variant("other.db", run("DROP TABLE migrations")), 4, "not a backup"],
      [variant("newer", run("INSERT INTO migrations VALUES ('9999_future', 'x', 0, '1.9.0')")), 4, "another version"],
      [variant("torn", (copy) => writeFileSync(copy, torn(readFileSync(copy)))), 4, "damaged"],
      [variant("trigger", run("CREATE TRIGGER spy AFTER INSERT ON users BEGIN SELECT 1; END")), 4, "the trigger spy"],
      [variant("view", run("CREATE VIEW spy AS SELECT * FROM users")), 4, "the view spy does not belong to authsvc"],
      [variant("table", run("CREATE TABLE spy (x)")), 4, "the table spy does not belong to authsvc"],
      [
        variant("lookalike", run("CREATE TABLE _litestream_lock (x, y)")),
        4,
        "_litestream_lock does not belong to authsvc",
      ],
      [variant("changed", run("DROP TRIGGER users_tell_logins")), 4, "the trigger users_tell_logins is missing"],
      [
        variant("keyless", run("DELETE FROM facts WHERE name = 'master-key-check'")),
        4,
        "does not identify its master key",
      ],
      // Complete, but made under a key that is not the one of this folder.
      [file, 4, "another master key"],
    ];
    for (const [bad_, code, reason] of bad) {
      const refused = await authsvc(["db", "restore", bad_, "--yes"], { cwd });
      expect([bad_, refused.code, refused.stderr]).toEqual([bad_, code, expect.stringContaining(reason)]);
    }
    const empty = emptyFolder();
    const keyless = await authsvc(["db", "restore", file], { cwd: empty });
    expect(keyless).toMatchObject({ code: 4, stderr: expect.stringContaining("No master key found") });
    expect(existsSync(join(empty, "data", "authsvc.db"))).toBe(false);
    expect(await everyRow({ url: undefined, file: join(data, "authsvc.db") })).toEqual(before);
    expect(readdirSync(data).filter((name) => name.includes("restor"))).toEqual([]);
  });

  it("is not needed for a database that cannot be read any more", async () => {
    const cwd = emptyFolder();
    const live = join(cwd, "data", "authsvc.db");
    await answer(["app", "create", "--name", "Kept", "--id", "app_kept"], { cwd });
    await answer(["db", "backup", "good.backup"], { cwd });
    writeFileSync(live, "overwritten by mistake ".repeat(500));
    const unsaid = await authsvc(["db", "restore", "good.backup"], { cwd });
    expect(unsaid).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") });
    const { keptAs } = (await answer(["db", "restore", "good.backup", "--yes"], { cwd })) as { keptAs: string };
    expect(readFileSync(keptAs, "utf8")).toContain("overwritten by mistake");
    expect(await answer(["db", "check"], { cwd })).toEqual({ ok: true, problems: [] });
    expect(await answer(["app", "show", "app_kept"], { cwd })).toMatchObject({ name: "Kept" });
  });

  it("is not spoilt by the log of a database that was lost", async () => {
    const cwd = emptyFolder();
    const live = join(cwd, "data", "authsvc.db");
    await answer(["app", "create", "--name", "Kept", "--id", "app_kept"], { cwd });
    await answer(["db", "backup", "good.backup"], { cwd });
    // As a process that was killed leaves it: with a log that is not in the database yet.
    const connection = new Database(live);
    connection.exec("DELETE FROM api_keys; DELETE FROM applications");
    const log = readFileSync(`${live}-wal`);
    connection.close();
    rmSync(live);
    writeFileSync(`${live}-wal`, log);
    await answer(["db", "restore", "good.backup", "--yes"], { cwd });
    expect(await answer(["db", "check"], { cwd })).toEqual({ ok: true, problems: [] });
    expect(await answer(["app", "show", "app_kept"], { cwd })).toMatchObject({ name: "Kept" });
  });
});

/** Half of the pages in the middle replaced by noise: still a database at first sight. */
function torn(bytes: Buffer): Buffer {
  return Buffer.from(bytes).fill(0xa5, 8 * 4096, Math.max(12 * 4096, bytes.length - 4 * 4096));
}
