import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import * as apiKeys from "../../../src/applications/keys.ts";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import * as signingKeys from "../../../src/tokens/signing-keys.ts";
import { emptyFolder } from "../../cli/command.ts";
import { answer } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";
import {
  openPage,
  call,
  goodPassword,
  initiate,
  newEmail,
  redeem,
  refresh,
  signIn,
  signUp,
  validate,
  Visitor,
  type Tokens,
} from "../../support/person.ts";
import { describeSqliteFirst, testMasterKey, type TestApp, type TestService } from "../../support/service.ts";
import { operator } from "../../support/webhooks.ts";

describeSqliteFirst("secrets at rest", (service) => {
  it("A1, F11, X3: no secret that was handed out, received or made stands in the database or in a backup", async () => {
    const app = await service.createApp();
    const second = await apiKeys.createKey(service.server.app.ctx, { appId: app.id }, { kind: "cli", name: "test" });
    const person = { email: newEmail(), password: `a rare password ${randomBytes(8).toString("hex")}` };
    const secrets: Record<string, string> = {
      "the first API key": app.apiKey,
      "the second API key": second.apiKey,
      password: person.password,
      "a wrong password": `another ${randomBytes(8).toString("hex")}`,
      ...(await browserSecrets(service, app)),
      "client secret of a provider": randomBytes(16).toString("hex"),
      "webhook secret": randomBytes(16).toString("hex"),
      ...(await signingSecrets(service)),
      ...masterKey(service),
    };
    const keep = (title: string, { accessToken, refreshToken }: Tokens): void => {
      Object.assign(secrets, { [`access token, ${title}`]: accessToken, [`refresh token, ${title}`]: refreshToken });
    };

    const { ctx } = service.server.app;
    const account = { name: "google", clientId: "client", secret: secrets["client secret of a provider"] ?? "" };
    await providers.set(ctx, app.id, account, operator.actor);
    const endpoint = {
      url: "https://hooks.example.com/",
      events: ["user.login"],
      secret: secrets["webhook secret"] ?? "",
    };
    await webhooks.create(ctx, app.id, endpoint, operator);

    const codeVerifier = randomBytes(32).toString("base64url");
    const signedUp = await signUp(service, app, person, {
      codeChallenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    });
    Object.assign(secrets, {
      "code verifier": codeVerifier,
      "redeemed code": signedUp.code,
      "finished session": signedUp.session.sessionId,
    });
    const first = await redeem(service, app, signedUp, { codeVerifier });
    keep("first", first);

    const unused = await signIn(service, app, person);
    Object.assign(secrets, {
      "open session": (await initiate(service, app)).sessionId,
      "unused code": unused.code,
      "its session": unused.session.sessionId,
    });
    const failed = await new Visitor().get((await initiate(service, app)).authUrl);
    const wrong = { email: person.email, password: secrets["a wrong password"] ?? "" };
    expect((await new Visitor().submit(failed, "/password", wrong)).status).not.toBe(303);
    await expect(signIn(service, app, wrong)).rejects.toThrow();

    let latest = first;
    for (let generation = 1; generation <= 3; generation += 1) {
      latest = { ...latest, ...(await refresh(service, app, latest.refreshToken)).body };
      keep(`generation ${generation}`, latest);
    }
    const ended = await redeem(service, app, await signIn(service, app, person));
    keep("ended", ended);
    expect(
      (await call(service, "POST", "/auth/logout", { authorization: `Bearer ${ended.accessToken}` }, {})).status,
    ).toBe(200);
    expect((await validate(service, app, latest.accessToken)).status).toBe(200);

    const backup = join(emptyFolder(), "a.backup");
    await answer(["db", "backup", backup], placeOf(service));
    const text = (await service.databaseText()) + readFileSync(backup, "latin1");
    // It is the right database, with all of it, and searching finds what is there.
    for (const present of [person.email, app.id, String(first.user["id"]), "argon2id", `"kty"`])
      expect(text.replaceAll("\\", "")).toContain(present);
    expect(Object.keys(secrets).length).toBeGreaterThan(20);
    for (const [title, secret] of Object.entries(secrets)) {
      expect(secret.length, title).toBeGreaterThanOrEqual(16);
      for (const form of formsOf(secret)) expect(text.includes(form), `${title} stands in the database`).toBe(false);
    }
  });

  it("X4: nobody but the service's own account reads its files", async () => {
    await signUp(service, await service.createApp());
    const { dataDir } = service;
    for (const file of readdirSync(dataDir))
      expect([file, statSync(join(dataDir, file)).mode & 0o077]).toEqual([file, 0]);
  });
});

/**
 * A secret as it is, and as other columns might hold it. The parts of a token are secrets too: the
 * signature is what makes it one.
 */
function formsOf(secret: string): string[] {
  const last = secret.split(".").at(-1) ?? secret;
  const tail = secret.replace(/^(?:sis|ak)_/u, "");
  // Inside a refresh token, the login's id is no secret; the second half of its bytes is.
  const decoded = Buffer.from(tail, "base64url");
  const bytes = decoded.subarray(decoded.length / 2);
  const readings = [
    secret,
    last,
    tail,
    tail.slice(-30),
    Buffer.from(secret).toString("base64"),
    Buffer.from(secret).toString("hex"),
  ];
  const asBytes =
    bytes.length >= 16
      ? [bytes.toString("latin1"), bytes.toString("hex"), bytes.toString("base64").replace(/=+$/u, "")]
      : [];
  return [...new Set([...readings, ...asBytes])].filter((form) => form.length >= 16);
}

/** The cookies and hidden fields of a person's browser, while the session is open. */
async function browserSecrets(service: TestService, app: TestApp): Promise<Record<string, string>> {
  const { visitor, page } = await openPage(service, app, {}, "/create-account");
  const { fields } = page.form("/create-account");
  const done = await visitor.submit(page, "/create-account", { email: newEmail(), password: goodPassword });
  expect(done.status).toBe(303);
  const again = new Visitor();
  await again.get((await initiate(service, app)).authUrl);
  const named = [...again.cookies, ...Object.entries(fields)].filter(([, value]) => value.length >= 16);
  expect(named.length).toBeGreaterThanOrEqual(2);
  return Object.fromEntries(named.map(([name, value]) => [`browser: ${name}`, value]));
}

async function signingSecrets(service: TestService): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {};
  for (const algorithm of ["ES256", "EdDSA", "RS256"] as const) {
    const { privateKey } = await signingKeys.forSigning(service.server.app.ctx, algorithm);
    const { d = "", p = "" } = privateKey.export({ format: "jwk" });
    secrets[`private key ${algorithm}`] = d;
    if (p !== "") secrets[`prime of ${algorithm}`] = p;
  }
  return secrets;
}

/** The key outside the database that opens the encrypted columns. */
function masterKey({ dialect, dataDir }: TestService): Record<string, string> {
  if (dialect === "postgres") return { "master key": testMasterKey };
  return { "master key": readFileSync(join(dataDir, "master.key"), "utf8").trim() };
}
