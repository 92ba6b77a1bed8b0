import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { insertPasskey } from "../../src/passkeys/store.ts";
import type { Holder } from "../../src/sign-in/proofs.ts";
import { newUser } from "../support/mail-flows.ts";
import { call, goodPassword, redeem, signedUp, signIn, validate, type Tokens } from "../support/person.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../support/service.ts";

const origin = { ipAddress: "192.0.2.1", userAgent: null, requestId: "req_test" };

/** A browser that has signed in to an account a moment ago, with the page in front of it that adds a passkey. */
async function aboutToAdd(service: TestService, app: TestApp, userId: string): Promise<Holder> {
  const { applications, browserSessions, signIn } = service.server.app.services;
  const application = await applications.find(app.id);
  if (!application) throw new Error("no application");
  const browserDigest = `browser of ${userId}`;
  const opened = { digest: browserDigest, appId: app.id, userId, signedInWith: "password" } as const;
  await service.server.app.storage.write((tx) =>
    browserSessions.start(tx, opened, { replaces: "" }, service.clock.now),
  );
  const body = { type: "passkey", redirectUri: app.redirectUri } as const;
  const { sessionId } = await signIn.initiateAdding(application, userId, body);
  const found = await signIn.open(sessionId, browserDigest);
  if (found.state !== "open" || !(await signIn.claim(found.session, browserDigest))) throw new Error(found.state);
  const { session } = found;
  const browser = { browserDigest, browserSession: "new", currentBrowserSession: browserDigest, knownBrowser: "known" };
  return { sessionId, session, application, ...browser, lang: "en", origin };
}

/** Starts both while nobody can write to the audit log, where each of them ends; then lets them go on. */
async function atOnce(service: TestService, acts: (() => Promise<unknown>)[]): Promise<unknown[]> {
  const { storage } = service.server.app;
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
  const { db } = server.app.storage.reader as unknown as {
    db: { execute(query: ReturnType<typeof sql>): Promise<{ rows: unknown[] }> };
  };
  for (;;) {
    const query = sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    const { rows } = await db.execute(query);
    if (rows.length >= wanted) return;
  }
}

describeEachDatabase("ending everything", (current) => {
  const invalid = { status: 401, body: { error: { code: "INVALID_TOKEN" } } };

  it("also ends the login that a code buys at the same moment", async () => {
    const service = current();
    const app = await service.createApp();
    const first = await signedUp(service, app);
    const waiting = await signIn(service, app, first);
    const user = { id: String(first.user["id"]), appId: app.id };
    const { ownLogins } = service.server.app.services;
    const by = { actor: { kind: "user", name: user.id } as const, origin };
    const [bought] = await atOnce(service, [
      () => redeem(service, app, waiting).catch(() => undefined),
      () => ownLogins.endAll(user, by),
    ]);
    for (const tokens of [first, bought as Tokens | undefined].filter((one) => one !== undefined))
      expect(await validate(service, app, tokens.accessToken)).toMatchObject(invalid);
  });

  it("logout with allSessions leaves no code behind that could be redeemed after it", async () => {
    const service = current();
    const app = await service.createApp();
    const first = await signedUp(service, app);
    const waiting = await signIn(service, app, first);
    const bearer = { authorization: `Bearer ${first.accessToken}` };
    expect((await call(service, "POST", "/auth/logout", bearer, { allSessions: true })).status).toBe(200);
    await expect(redeem(service, app, waiting)).rejects.toThrow("400");
  });
});

describeEachDatabase("the first proof of an address", (current) => {
  it("pre-hijacking: takes off what is being added to the account at the same moment", async () => {
    const service = current();
    const app = await service.createApp();
    const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
    const { emailTokens, passwordReset, proofs, passwords, passkeys, users } = service.server.app.services;
    const { storage } = service.server.app;
    const attacker = await aboutToAdd(service, app, id);
    const slot = emailTokens.slot("reset", app.id, email);
    const asked = { slot, purpose: "reset", appId: app.id, userId: id, email } as const;
    const { secret } = await storage.write((tx) => emailTokens.issue(tx, asked, service.clock.now));
    const token = await emailTokens.find(secret, "reset");
    if (!token) throw new Error("no token");
    const hash = await passwords.hash("the owner's own password", "192.0.2.1");

    const add = () =>
      proofs.add(attacker, { type: "passkey", provider: null }, async (tx, userId, now) => {
        const methodId = `mth_planted${service.dialect}`;
        const known = { signCount: 0, transports: [], aaguid: "", backedUp: true, backupEligible: true };
        const key = { credentialId: `planted ${service.dialect}`, publicKey: "pQ", ...known };
        const shown = { discoverable: true, name: "Planted" };
        await insertPasskey(tx, { id: methodId, userId, ...key, ...shown, createdAt: now, lastUsedAt: null });
        return { methodId, name: "Planted" };
      });
    const [added, isReset] = await atOnce(service, [add, () => passwordReset.finish(token, hash, origin)]);
    expect(added).toHaveProperty("redirectTo");
    expect(isReset).toBe(true);
    expect((await users.find(id))?.emailVerified).toBe(true);
    expect(await passkeys.hasAny(id)).toBe(false);
  });
});
