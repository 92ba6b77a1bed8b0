import { inArray, sql } from "drizzle-orm";
import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import * as passwordReset from "../../../src/credentials/mailed/password-reset.ts";
import * as emailTokens from "../../../src/credentials/mailed/service.ts";
import * as methods from "../../../src/credentials/methods/service.ts";
import * as passkeys from "../../../src/credentials/passkeys/service.ts";
import { insertPasskey } from "../../../src/credentials/passkeys/store.ts";
import * as newPasswords from "../../../src/credentials/passwords/new-passwords.ts";
import * as browserSessions from "../../../src/sessions/browser-sessions.ts";
import * as ownLogins from "../../../src/sessions/login-ends.ts";
import * as additions from "../../../src/sign-in/adding/adding.ts";
import { cancelCodesOfUser } from "../../../src/sign-in/cancel-store.ts";
import * as grants from "../../../src/sign-in/grants.ts";
import * as proofs from "../../../src/sign-in/proofs.ts";
import * as sessions from "../../../src/sign-in/service.ts";
import type { SignInAttempt } from "../../../src/sign-in/sign-in-attempt.ts";
import * as authentication from "../../../src/tokens/authentication.ts";
import * as users from "../../../src/users/service.ts";
import { newUser, linkSecret } from "../../support/mail-flows.ts";
import { basic, codeFor, withParty, post } from "../../support/openid-tokens.ts";
import { authorize, authorizeUrl } from "../../support/openid.ts";
import {
  goodPassword,
  newEmail,
  openPage,
  redeem,
  signedUp,
  signIn,
  validate,
  Visitor,
  type Page,
  type Tokens,
} from "../../support/person.ts";
import { withApp, describeEachDatabase, type TestApp, type TestService } from "../../support/service.ts";

const source = { ipAddress: "192.0.2.1", userAgent: null, requestId: "req_test" };

/**
 * A browser that has signed in to an account a moment ago, with the page in front of it that adds a
 * passkey.
 */
async function aboutToAdd(service: TestService, app: TestApp, userId: string): Promise<SignInAttempt> {
  const { ctx } = service.server.app;
  const application = await applications.find(ctx, ctx.storage.reader, app.id);
  if (!application) throw new Error("no application");
  const browserDigest = `browser of ${userId}`;
  const tie = browserDigest;
  const opened = {
    digest: browserDigest,
    appId: app.id,
    userId,
    tie,
    signedInWith: "password",
    signedInProvider: null,
    proofs: null,
    secondFactor: null,
    provenAt: service.clock.now,
    provenElsewhereAt: null,
    organizationProofs: null,
    organizationId: null,
  } as const;
  await service.server.app.ctx.storage.write((tx) =>
    browserSessions.start(tx, opened, { replaces: "", application }, service.clock.now),
  );
  const body = { type: "passkey", redirectUri: app.redirectUri } as const;
  const { sessionId } = await sessions.initiateAdding(ctx, application, userId, body);
  const found = await sessions.open(ctx, sessionId, browserDigest);
  if (found.state !== "open" || !(await sessions.claim(ctx, found.session, browserDigest)))
    throw new Error(found.state);
  const { session } = found;
  const cookies = {
    browserSession: "new",
    currentBrowserSession: browserDigest,
    knownBrowser: "known",
    trustedBrowser: () => "",
  };
  return {
    sessionId,
    session,
    application,
    browserDigest,
    renewedBrowser: "renewed",
    ...cookies,
    lang: "en",
    source,
  };
}

/** A browser with nothing but what it is given when it signs in. */
const browser = (name: string) => ({
  browserDigest: name,
  renewedBrowser: name,
  browserSession: name,
  knownBrowser: "known",
  trustedBrowser: () => "",
});

/** A sign-in that this browser has begun. */
async function begunIn(
  service: TestService,
  app: TestApp,
  visitor: ReturnType<typeof browser> & Pick<SignInAttempt, "currentBrowserSession">,
): Promise<SignInAttempt> {
  const { ctx } = service.server.app;
  const application = await applications.find(ctx, ctx.storage.reader, app.id);
  if (!application) throw new Error("no application");
  const given = { redirectUri: app.redirectUri, scopes: ["profile" as const] };
  const { sessionId } = await sessions.initiate(ctx, application, given);
  const found = await sessions.open(ctx, sessionId, undefined);
  if (found.state !== "open") throw new Error(found.state);
  await sessions.claim(ctx, found.session, visitor.browserDigest);
  return { sessionId, session: found.session, application, ...visitor, lang: "en", source };
}

/**
 * Starts both while nobody can write to the audit log, where each of them ends; then lets them go
 * on.
 */
async function atOnce(service: TestService, acts: (() => Promise<unknown>)[]): Promise<unknown[]> {
  const { storage } = service.server.app.ctx;
  if (service.dialect === "sqlite") return await Promise.all(acts.map((act) => act()));
  let running: Promise<unknown>[] = [];
  await storage.write(async (tx) => {
    const { db } = tx as unknown as { db: { execute(query: ReturnType<typeof sql>): Promise<unknown> } };
    await db.execute(sql`LOCK TABLE audit_events IN EXCLUSIVE MODE`);
    for (const act of acts) {
      running = [...running, act()];
      await untilWaiting(service, running.length);
    }
  });
  return await Promise.all(running);
}

async function untilWaiting({ server }: TestService, wanted: number): Promise<void> {
  const { db } = server.app.ctx.storage.reader as unknown as {
    db: { execute(query: ReturnType<typeof sql>): Promise<{ rows: unknown[] }> };
  };
  for (;;) {
    const query = sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const { rows } = await db.execute(query);
    if (rows.length >= wanted) return;
  }
}

describeEachDatabase("ending everything", (current) => {
  it("a second press of Create account, while the first is at work, finds the person signed in", async () => {
    const { service, app } = await withApp(current());
    const { visitor, page } = await openPage(service, app, {}, "/create-account");
    const typed = { email: newEmail(), name: "", password: goodPassword };
    const press = async () => await visitor.copy().submit(page, "/create-account", typed);
    const answers = (await atOnce(service, [press, press])) as Page[];
    const [second] = answers.filter(({ status }) => status !== 303);
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(second?.status).toBe(200);
    expect(second?.text).toContain("You&#39;re signed in");
  });

  const invalid = { status: 401, body: { error: { code: "INVALID_TOKEN" } } };

  it("also ends the login that a code buys at the same moment", async () => {
    const { service, app } = await withApp(current());
    const first = await signedUp(service, app);
    const waiting = await signIn(service, app, first);
    const userId = String(first.user["id"]);
    const { ctx } = service.server.app;
    const by = { actor: { kind: "user", name: userId } as const, source };
    const [bought] = await atOnce(service, [
      () => redeem(service, app, waiting).catch(() => undefined),
      () => ownLogins.endAll(ctx, userId, by),
    ]);
    for (const tokens of [first, bought as Tokens | undefined].filter((one) => one !== undefined))
      expect(await validate(service, app, tokens.accessToken)).toMatchObject(invalid);
  });

  it("makes a kept proof worthless that a step is just finishing with", async () => {
    const { service, app } = await withApp(current());
    const { user } = await signedUp(service, app);
    const userId = String(user["id"]);
    const { ctx } = service.server.app;
    const attempt = await begunIn(service, app, { ...browser("b"), currentBrowserSession: "b", browserSession: "new" });
    const asked = await proofs.accept(ctx, attempt, { signedInWith: "password", mayOffer: true }, async () =>
      proofs.provenId(userId),
    );
    expect(asked).toEqual({ next: "offer-passkey" });
    // The step has read the proof by now; it is cancelled before the session is finished.
    const step = {
      signedInWith: "password",
      signedInProvider: null,
      proofs: null,

      proofOf: userId,
    } as const;
    const done = await proofs.accept(ctx, attempt, step, async (tx, now) => {
      await cancelCodesOfUser(tx, userId, now);
      return proofs.provenId(userId);
    });
    expect(done).toBe("over");
  });

  it("also cancels the code of single sign-on at the same moment, though its browser stays signed in", async () => {
    const { service, party } = await withParty(current());
    const visitor = new Visitor();
    const form = await codeFor(service, party, {}, visitor);
    const { body } = await post(service, "/oauth2/token", form, basic(party));
    const { ctx } = service.server.app;
    const { claims } = await authentication.findBearer(ctx, String(body["access_token"]), undefined);
    const { sub: userId, sid: login } = claims;
    const known = { signCount: 0, transports: [], aaguid: "", backedUp: true, backupEligible: true };
    const key = { credentialId: `single ${service.dialect}`, publicKey: "pQ", ...known };
    const shown = { discoverable: true, name: "Old", createdAt: service.clock.now, lastUsedAt: null };
    const passkey = { id: `mth_single_${service.dialect}`, userId, ...key, ...shown };
    await service.server.app.ctx.storage.write((tx) => insertPasskey(tx, passkey));
    const by = { actor: { kind: "user", name: userId } as const, source };
    const [page] = await atOnce(service, [
      () => visitor.get(authorizeUrl(service, party.client, { prompt: "none" })),
      () => methods.remove(ctx, userId, passkey.id, by, { keep: { login } }),
    ]);
    const code = (page as Page).location.searchParams.get("code");
    if (service.dialect === "postgres") expect(code).not.toBeNull();
    const again = { ...form, code: code ?? "" };
    expect((await post(service, "/oauth2/token", again, basic(party))).status).toBe(400);
  });

  it("taking consent back also takes it from the code of single sign-on at the same moment", async () => {
    const { service, party } = await withParty(current(), { consent: "ask" });
    const { client, email } = party;
    const visitor = new Visitor();
    const { location } = await authorize(service, client, { email }, {}, visitor);
    const agreed = await visitor.submit(await visitor.get(location.href), "/step/consent", {});
    const redirect_uri = client.redirectUris[0] ?? "";
    const buy = async ({ location: { searchParams } }: Page) => {
      const form = { grant_type: "authorization_code", code: searchParams.get("code") ?? "", redirect_uri };
      return await post(service, "/oauth2/token", form, basic(party));
    };
    const { body } = await buy(agreed);
    const { ctx } = service.server.app;
    const { claims } = await authentication.findBearer(ctx, String(body["access_token"]), undefined);
    const by = { actor: { kind: "user", name: claims.sub } as const, source };
    const [page] = await atOnce(service, [
      () => visitor.get(authorizeUrl(service, client, { prompt: "none" })),
      () => grants.remove(ctx, claims.sub, client.id, by),
    ]);
    expect((await buy(page as Page)).status).toBe(400);
  });
});

describeEachDatabase("two copies of one browser", (current) => {
  it("do not share a tie when they sign in at the same moment", async () => {
    const { service, app } = await withApp(current());
    const { user } = await signedUp(service, app);
    const userId = String(user["id"]);
    const { ctx } = service.server.app;
    const { storage } = service.server.app.ctx;
    const application = await applications.find(ctx, storage.reader, app.id);
    if (!application) throw new Error("no application");
    const presented = `presented ${service.dialect}`;
    const opened = {
      digest: presented,
      appId: app.id,
      userId,
      tie: presented,
      signedInWith: "password",
      signedInProvider: null,
      proofs: null,
      secondFactor: null,
      provenAt: service.clock.now,
      provenElsewhereAt: null,
      organizationProofs: null,
      organizationId: null,
    } as const;
    await storage.write((tx) => browserSessions.start(tx, opened, { replaces: "", application }, service.clock.now));

    const copy = async (name: string) =>
      await begunIn(service, app, { ...browser(name), currentBrowserSession: presented });
    const names = ["first", "second"].map((name) => `${name} ${service.dialect}`);
    const attempts = await Promise.all(names.map(copy));
    const acts = attempts.map(
      (attempt) => () => proofs.accept(ctx, attempt, { signedInWith: "password" }, async () => proofs.provenId(userId)),
    );
    for (const done of await atOnce(service, acts)) expect(done).toHaveProperty("response");
    const { db, tables } = storage.reader;
    const ties = await db
      .select({ digest: tables.browserSessions.digest, tie: tables.browserSessions.tie })
      .from(tables.browserSessions)
      .where(inArray(tables.browserSessions.digest, [presented, ...names]));
    const [first = "", second = ""] = names;
    expect(new Map(ties.map(({ digest, tie }) => [digest, tie]))).toEqual(
      new Map([
        [first, presented],
        [second, second],
      ]),
    );
    const bought = await db
      .select({ browser: tables.signInSessions.browserDigest, tie: tables.signInSessions.browserSessionDigest })
      .from(tables.signInSessions)
      .where(inArray(tables.signInSessions.browserDigest, names));
    expect(new Map(bought.map(({ browser, tie }) => [browser, tie]))).toEqual(
      new Map(ties.map(({ digest, tie }) => [digest, tie])),
    );
  });
});

describeEachDatabase("the first proof of an address", (current) => {
  it("pre-hijacking: takes off what is being added to the account at the same moment", async () => {
    const { service, app } = await withApp(current());
    const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
    const { ctx } = service.server.app;
    const { storage } = service.server.app.ctx;
    const attacker = await aboutToAdd(service, app, id);
    const slot = emailTokens.slot(ctx, "reset", app.id, email);
    const asked = { slot, purpose: "reset", appId: app.id, userId: id, email } as const;
    const { link } = await storage.write((tx) => emailTokens.issue(ctx, tx, asked, service.clock.now));
    const token = await emailTokens.find(ctx, linkSecret(link), "reset");
    if (!token) throw new Error("no token");
    const hash = await newPasswords.hash(ctx, "the owner's own password", "192.0.2.1");

    const add = () =>
      additions.add(ctx, attacker, { type: "passkey", provider: null }, async (tx, userId, now) => {
        const methodId = `mth_planted${service.dialect}`;
        const known = { signCount: 0, transports: [], aaguid: "", backedUp: true, backupEligible: true };
        const key = { credentialId: `planted ${service.dialect}`, publicKey: "pQ", ...known };
        const shown = { discoverable: true, name: "Planted" };
        await insertPasskey(tx, { id: methodId, userId, ...key, ...shown, createdAt: now, lastUsedAt: null });
        return { methodId, name: "Planted" };
      });
    const [added, isReset] = await atOnce(service, [add, () => passwordReset.finish(ctx, token, hash, source)]);
    expect(added).toHaveProperty("response");
    expect(isReset).toBe(true);
    expect((await users.find(ctx.storage.reader, id))?.emailVerified).toBe(true);
    expect(await passkeys.hasAny(ctx.storage.reader, id)).toBe(false);
  });
});
