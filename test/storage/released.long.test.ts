import { createHmac } from "node:crypto";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Config } from "../../src/config/config.ts";
import { foldStale } from "../../src/people/folding.ts";
import * as profiles from "../../src/people/profile.ts";
import { startServer, type RunningServer } from "../../src/process/server.ts";
import { answer, authsvc } from "../cli/in-process.ts";
import { placeOf } from "../cli/service-place.ts";
import { runSql } from "../cli/sql.ts";
import { codeAt, firstProof } from "../support/factors.ts";
import { basic, post, refreshWith } from "../support/openid-tokens.ts";
import { signInByPasskey } from "../support/passkey-ceremonies.ts";
import { call, redeem, refresh, signIn, validate } from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { until, useReceiver } from "../support/receiver.ts";
import { bank, importedPassword, passkeyIn, readReleased, releasedVersions, shop } from "../support/released.ts";
import { testConfig, type Dialect, type TestApp, type TestService } from "../support/service.ts";
import { localWebhooks } from "../support/webhooks.ts";

const receiver = useReceiver();
const fixtures = releasedVersions().flatMap((version) =>
  (["sqlite", "postgres"] as const).map((dialect) => ({ version, dialect })),
);

/** Where a fixture is opened: a copy of it, or a database that it was read into. */
async function installed(version: string, dialect: Dialect): Promise<Config> {
  const { folder } = readReleased(version);
  const dataDir = mkdtempSync(join(tmpdir(), "authsvc-released-"));
  const masterKey = readFileSync(join(folder, "master.key"), "utf8").trim();
  const config = { ...testConfig, ...localWebhooks, masterKey, dataDir };
  if (dialect === "sqlite") {
    copyFileSync(join(folder, "sqlite.db"), join(dataDir, "authsvc.db"));
    chmodSync(join(dataDir, "authsvc.db"), 0o600);
    return { ...config, database: { url: undefined, poolSize: 5 } };
  }
  const url = await createTestDatabase();
  const client = new Client(url);
  await client.connect();
  await client.query(readFileSync(join(folder, "postgres.sql"), "utf8"));
  await client.end();
  return { ...config, database: { url, poolSize: 5 } };
}

it("every released version has a fixture", () => {
  expect(releasedVersions()).toContain("1.0.0");
});

describe.each(fixtures)("a database of $version ($dialect), opened by this program", ({ version, dialect }) => {
  const expected = readReleased(version).expected[dialect];
  /** Each works once, also if a test is repeated. */
  const recoveryCodes = [...expected.totp.recoveryCodes];
  // Access tokens are good for 15 minutes.
  const clock = { now: expected.madeAt + 60_000, advance: (by: number) => void (clock.now += by) };
  const appOf = (id: string, apiKey: string): TestApp => ({
    id,
    apiKey,
    redirectUri: `https://${id.slice("app_".length)}.example/callback`,
    headers: { authorization: `Bearer ${apiKey}`, "x-service-app-id": id },
  });
  const shopApp = appOf(shop, expected.apiKey);
  const bankApp = appOf(bank, expected.totp.apiKey);
  let config: Config;
  let server: RunningServer;
  const service = {
    clock,
    get url() {
      return server.url;
    },
  } as TestService;
  const serve = async (baseUrl?: string) =>
    (server = await startServer({ ...config, baseUrl }, { clock: () => clock.now }));

  beforeAll(async () => {
    config = await installed(version, dialect);
    // Commands have no other clock.
    vi.useFakeTimers({ toFake: ["Date"], now: clock.now });
  });
  afterAll(async () => {
    vi.useRealTimers();
    await server.close();
    rmSync(config.dataDir, { recursive: true });
  });

  it("is migrated with all rows, without a problem, and its applications are the same", async () => {
    const place = placeOf({ config });
    const migrated = await authsvc(["db", "migrate"], place);
    expect([migrated.code, migrated.stderr]).toEqual([0, ""]);
    const { tables } = (await answer(["db", "status"], place)) as { tables: { table: string; rows: number }[] };
    const rows = Object.fromEntries(tables.map((each) => [each.table, each.rows]));
    // A migration is in the audit log.
    expect(rows).toMatchObject({ ...expected.rows, audit_events: expect.any(Number) as number });
    expect(rows["audit_events"]).toBeGreaterThanOrEqual(expected.rows["audit_events"] ?? Infinity);
    expect(await answer(["db", "check"], place)).toEqual({ ok: true, problems: [] });
    // What is newer than that version has its default.
    const added = [
      "clientsDefaultAccess: everyone",
      "personalTokens: false",
      "personalTokenLife: 365d",
      "organizations: off",
      "organizationCreation: server",
      "companySignIn: off",
      "organizationRoles: null",
      "profileFields: null",
      "terms:\n      version: null\n      url: null\n      required: true",
      "texts: null",
    ].map((line) => `\n    ${line}`);
    const signUp = [
      "EmailDomains: null",
      "BlockedDomains: null",
      "BlockDisposable: false",
      "RequireVerified: false",
      "ShowRules: false",
      "Approval: false",
      "ApprovalMail: null",
    ];
    const ofClients = ["loginIdleSeconds", "loginAbsoluteSeconds", "maxLogins", "refreshGraceSeconds"]
      .map((name) => `${name}: null`)
      .concat("companySignIn: false");
    const sessions = "    sessions:\n      idle: 14d\n      absolute: 30d\n      maxLogins: 100\n";
    const state = expected.state
      .replaceAll(/^ *singleSignOn: .*\n/gmu, (line) => `${line}    refreshGrace: 30s\n${sessions}`)
      .replaceAll(
        /^( *)profile: .*\n/gmu,
        (line, indent) => line + ofClients.map((each) => `${indent}${each}\n`).join(""),
      )
      .replaceAll(/^ *signUp: .*\n/gmu, (line) => line + signUp.map((each) => `    signUp${each}\n`).join(""))
      .replaceAll(/^( *)allowedGroups: .*\n(?=\1resources:)/gmu, (line, indent) => `${line}${indent}launchUrl: null\n`)
      .replaceAll(/^ *relyingPartyId: .*\n/gmu, (line) => `${line}    passkeys:\n      relatedOrigins: null\n`)
      // Of resources.
      .replaceAll(
        /^( *)clientDocuments: (?:true|false)\n/gmu,
        (line, indent) => `${line}${indent}companySignIn: false\n`,
      )
      .replaceAll(/^ *mailName: .*$/gmu, (line) => line + added.join(""));
    expect((await authsvc(["export"], place)).stdout).toBe(state);
  });

  it("validates and refreshes the tokens that it gave, of applications, clients and devices", async () => {
    await serve(expected.baseUrl);
    const { password, totp, client, device } = expected;
    expect((await validate(service, shopApp, password.accessToken)).status).toBe(200);
    for (const [app, { refreshToken }] of [
      [shopApp, password],
      [bankApp, totp],
    ] as const) {
      const { status, body } = await refresh(service, app, refreshToken);
      expect([app.id, status]).toEqual([app.id, 200]);
      expect((await validate(service, app, String(body["accessToken"]))).status).toBe(200);
    }
    const web = { client: { id: client.id }, secret: client.secret };
    expect((await refreshWith(service, web, client.refreshToken)).status).toBe(200);
    const form = { grant_type: "refresh_token", refresh_token: device.refreshToken, client_id: device.id };
    expect((await post(service, "/oauth2/token", form)).status).toBe(200);
  });

  it("knows API keys, client secrets, people, their groups and consents, operators and blocks", async () => {
    const { password, imported, client, machine, document } = expected;
    const groups = await call(service, "GET", `/applications/${shop}/users/${imported.id}/groups`, shopApp.headers);
    expect(groups.body["groups"]).toEqual(imported.groups);
    const form = { grant_type: "client_credentials", resource: machine.resource };
    const token = await post(service, "/oauth2/token", form, basic({ client: machine, secret: machine.secret }));
    expect(token.status).toBe(200);
    const place = placeOf({ config });
    expect(await answer(["operator", "list"], place)).toMatchObject([{ email: expected.operator }]);
    const consents = (await answer(["user", "consents", password.userId], place)) as { clientId: string }[];
    expect(consents.map(({ clientId }) => clientId).toSorted()).toEqual([document.id, client.id, "tv"].toSorted());
    expect(await answer(["client", "show", document.blocked], place)).toMatchObject({
      blockedAt: expect.any(String) as string,
    });
  });

  it("finds its people by any part of an address, and gets a person whom that version adds", async () => {
    const find = async (text: string) => {
      const { body } = await call(service, "GET", `/applications/${shop}/users?search=${text}`, shopApp.headers);
      return (body["users"] as { email: string }[]).map(({ email }) => email);
    };
    const part = expected.password.email.slice(1, -1);
    expect(await find(part)).toEqual([expected.password.email]);
    // As that version does, which knows nothing of the search.
    await runSql(
      { config } as TestService,
      `INSERT INTO users (id, app_id, email, email_verified, handle, created_at, updated_at, login_count)
        SELECT 'usr_old', app_id, 'added@old.example', email_verified, 'old', created_at, updated_at, 0
        FROM users WHERE id = '${expected.password.userId}'`,
    );
    for (const isFolded of [false, true]) {
      if (isFolded) await foldStale(server.app.ctx, async () => true);
      expect([await find(part), await find("d@old")]).toEqual([[expected.password.email], ["added@old.example"]]);
    }
    expect(await runSql({ config } as TestService, "SELECT user_id FROM user_search WHERE folded IS NULL")).toEqual([]);
    await profiles.remove(server.app.ctx, "usr_old", { actor: { kind: "cli", name: "test" } });
  });

  it("signs webhooks with the secret that it keeps", async () => {
    const path = `/webhooks/endpoints/${expected.webhook.id}`;
    const moved = await call(service, "PATCH", path, shopApp.headers, { url: receiver.url });
    expect(moved.status).toBe(200);
    const before = receiver.received.length;
    expect((await call(service, "POST", `${path}/test`, shopApp.headers)).status).toBe(200);
    const { id, text, headers } = await until(() =>
      receiver.received.slice(before).find(({ path: at }) => at === "/hook"),
    );
    const key = Buffer.from(expected.webhook.secret.slice("whsec_".length), "base64");
    const signed = `${id}.${String(headers["webhook-timestamp"])}.${text}`;
    const signature = createHmac("sha256", key).update(signed).digest("base64");
    expect(headers["webhook-signature"]).toContain(`v1,${signature}`);
  });

  it("signs people in by password, imported password, second factor, recovery code and passkey", async () => {
    await server.close();
    // At an address of its own, so that its pages are found.
    await serve();
    const { password, imported, totp } = expected;
    for (const person of [{ email: password.email }, { email: imported.email, password: importedPassword }]) {
      const { user } = await redeem(service, shopApp, await signIn(service, shopApp, person));
      expect(user["email"]).toBe(person.email);
    }
    for (const code of [codeAt(totp.key, clock.now), recoveryCodes.pop() ?? ""]) {
      const { visitor, page } = await firstProof(service, bankApp, totp.email);
      const done = await visitor.submit(page, "/step/code", { code });
      expect(done.status).toBe(303);
      clock.advance(60_000);
    }
    const done = await signInByPasskey(service, shopApp, passkeyIn(expected));
    expect([done.status, done.location.searchParams.get("code")]).toEqual([303, expect.any(String)]);
  });
});
