import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import { insertMail } from "../../../src/records/mail/store.ts";
import * as sessions from "../../../src/sign-in/service.ts";
import { revokeLogins } from "../../../src/people/administration.ts";
import * as profiles from "../../../src/people/profile.ts";
import { bearer, giveIdentity, givePasskey } from "../../support/methods.ts";
import { askOptions, openCeremony } from "../../support/passkey-ceremonies.ts";
import {
  call,
  initiate,
  newEmail,
  redeem,
  signedUp,
  signIn,
  signUp,
  validate,
  Visitor,
  type Tokens,
} from "../../support/person.ts";
import { useApp, describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

type Person = { tokens: Tokens; userId: string; email: string; name: string };
let people = 0;

/** Somebody with something in every table that can hold a person. */
async function settled(service: TestService, app: TestApp): Promise<Person> {
  people += 1;
  const [email, name] = [newEmail(), `Zebedee Quixote ${people}${process.pid}`];
  const first = await redeem(service, app, await signUp(service, app, { email, name }));
  const userId = String(first.user["id"]);
  await givePasskey(service, userId, `Phone of ${name}`);
  await giveIdentity(service, app, userId);
  const tokens = await redeem(service, app, await signIn(service, app, { email }));
  // A sign-in that was begun with the address, a sign-up whose passkey is being made, and a wrong
  // password.
  await initiate(service, app, { loginHint: email });
  await askOptions(await openCeremony(service, app, "/create-account"), { email, name });
  const visitor = new Visitor();
  const page = await visitor.get((await initiate(service, app)).authUrl);
  await visitor.submit(page, "/password", { email, password: "not the password of anybody" });
  await queueMail(service, app, userId);
  return { tokens, userId, email, name };
}

/** A mail on its way to a user, in a service that has nowhere to send it. */
async function queueMail(service: TestService, app: TestApp, userId: string): Promise<void> {
  const now = service.clock.now;
  const mail = { appId: app.id, userId, kind: "method-added", encryptedMail: "", createdAt: now } as const;
  const plan = { attempts: 0, nextAttemptAt: now, leaseUntil: null, expiresAt: now + 60_000, lastError: null };
  await service.server.app.ctx.storage.write((tx) => insertMail(tx, { id: `mail_of_${userId}`, ...mail, ...plan }));
}

/** A call waits for a row that a transaction of PostgreSQL holds. */
async function untilItWaits({ server }: TestService): Promise<void> {
  const waits = sql`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const { db } = server.app.ctx.storage.reader as unknown as {
    db: { execute(query: typeof waits): Promise<{ rows: unknown[] }> };
  };
  await expect.poll(async () => (await db.execute(waits)).rows.length, { timeout: 60_000 }).toBeGreaterThan(0);
}

const deleteProfile = async (service: TestService, { accessToken }: Tokens) =>
  await call(service, "DELETE", "/users/profile", bearer(accessToken));

/** Rows of every table that hold one of `texts`, by table. */
async function rowsWith(service: TestService, texts: string[]): Promise<Record<string, number>> {
  const { db, tables } = service.server.app.ctx.storage.reader;
  const found: Record<string, number> = {};
  for (const [name, table] of Object.entries(tables)) {
    const rows = (await db.select().from(table)).filter((row) =>
      texts.some((text) => JSON.stringify(row).includes(text)),
    );
    if (rows.length > 0) found[name] = rows.length;
  }
  return found;
}

describeSqliteFirst("DELETE /users/profile", (current) => {
  const app = useApp(current);

  it("leaves nothing of the person in any row but the bare id in the audit log and, for a day, in the feed", async () => {
    const service = current();
    const { tokens, userId, email, name } = await settled(service, app);
    const before = await rowsWith(service, [userId, email, name]);
    expect(Object.keys(before).toSorted()).toEqual(
      expect.arrayContaining([
        "auditEvents",
        "logins",
        "mails",
        "oauthIdentities",
        "passkeys",
        "passwords",
        "signInSessions",
        "users",
      ]),
    );
    const { passwordFailures } = service.server.app.ctx.storage.reader.tables;
    const throttled = async () =>
      (await service.server.app.ctx.storage.reader.db.select().from(passwordFailures)).length;
    const throttledBefore = await throttled();
    const { body } = await deleteProfile(service, tokens);
    expect(body).toEqual({ success: true, message: "The account was deleted." });
    expect(Object.keys(await rowsWith(service, [userId])).toSorted()).toEqual(["auditEvents", "revocations"]);
    expect(await rowsWith(service, [email, name])).toEqual({});
    expect(await throttled()).toBe(throttledBefore - 1);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const events = (await db.select().from(tables.auditEvents)).filter((event) => event.userId === userId);
    expect(events.map(({ action }) => action)).toContain("user.delete");
    expect(events.filter(({ ipAddress }) => ipAddress !== null)).toEqual([]);
  });

  it("leaves everybody else as they are, the same address in another app included", async () => {
    const service = current();
    const other = await service.createApp();
    const { tokens, email } = await settled(service, app);
    const neighbour = await settled(service, app);
    const sameAddress = await redeem(service, other, await signUp(service, other, { email }));
    const hinted = await initiate(service, other, { loginHint: email });
    await deleteProfile(service, tokens);
    expect((await validate(service, app, neighbour.tokens.accessToken)).status).toBe(200);
    expect((await validate(service, other, sameAddress.accessToken)).body["user"]).toMatchObject({ email });
    expect((await new Visitor().get(hinted.authUrl)).text).toContain(email);
  });

  it("answers USER_NOT_FOUND to a call that was let in before it and writes after it", async () => {
    const service = current();
    const { accessToken, user } = await signedUp(service, app);
    const userId = String(user["id"]);
    const body = { type: "password", redirectUri: app.redirectUri } as const;
    const { ctx } = service.server.app;
    const { storage } = ctx;
    if (service.dialect === "sqlite") {
      // Writes wait for their turn there, not for rows: the call is begun where it was let in
      // already.
      const application = await applications.find(ctx, ctx.storage.reader, app.id);
      await profiles.remove(ctx, userId, { actor: { kind: "user", name: userId } });
      const adding = application && sessions.initiateAdding(ctx, application, userId, body);
      await expect(adding).rejects.toMatchObject({ code: "USER_NOT_FOUND" });
      return;
    }
    const { users } = storage.reader.tables;
    let added: Promise<unknown> = Promise.resolve();
    await storage.write(async (tx) => {
      await tx.db.delete(users).where(eq(users.id, userId)).returning({ id: users.id });
      added = call(service, "POST", "/users/auth-methods", bearer(accessToken), body);
      await untilItWaits(service);
    });
    expect(await added).toMatchObject({ status: 404, body: { error: { code: "USER_NOT_FOUND" } } });
  });

  it("is found by an operator who ends all logins meanwhile, and no entry keeps an address", async () => {
    const service = current();
    const { user } = await signedUp(service, app);
    const userId = String(user["id"]);
    const { ctx } = service.server.app;
    const source = { ipAddress: "192.0.2.9", userAgent: null, requestId: "req_test" };
    const by = { actor: { kind: "app", name: app.id }, source } as const;
    let ending: Promise<unknown> = Promise.resolve();
    await ctx.storage.write(async (tx) => {
      await profiles.removeAnybody(ctx, tx, userId, by);
      ending = revokeLogins(ctx, userId, { dryRun: false }, by).catch((error: unknown) => error);
      // Writes of SQLite wait for their turn.
      if (service.dialect === "postgres") await untilItWaits(service);
    });
    expect(await ending).toMatchObject({ code: "USER_NOT_FOUND" });
    const { db, tables } = ctx.storage.reader;
    const events = (await db.select().from(tables.auditEvents)).filter((event) => event.userId === userId);
    expect(events.filter(({ ipAddress }) => ipAddress !== null)).toEqual([]);
  });

  it("is waited for by what was counted of refusals, and no entry keeps an address", async () => {
    const service = current();
    const { user, email } = await signedUp(service, app);
    const userId = String(user["id"]);
    const { ctx } = service.server.app;
    const visitor = new Visitor();
    const page = await visitor.get((await initiate(service, app)).authUrl);
    await visitor.submit(page, "/password", { email, password: "not the password of anybody" });
    let writing: Promise<unknown> = Promise.resolve();
    await ctx.storage.write(async (tx) => {
      await profiles.removeAnybody(ctx, tx, userId, { actor: { kind: "app", name: app.id } });
      writing = aggregatedEvents(ctx).flush();
      // Writes of SQLite wait for their turn.
      if (service.dialect === "postgres") await untilItWaits(service);
    });
    await writing;
    const { db, tables } = ctx.storage.reader;
    const events = (await db.select().from(tables.auditEvents)).filter((event) => event.userId === userId);
    expect(events.map(({ action, result }) => `${action} ${result}`)).toContain("sign-in failure");
    expect(events.filter(({ ipAddress }) => ipAddress !== null)).toEqual([]);
  });

  it("happens once, no matter who races", async () => {
    const service = current();
    const { tokens } = await settled(service, app);
    const answers = await Promise.all(Array.from({ length: 5 }, async () => await deleteProfile(service, tokens)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200))
      expect([`404 USER_NOT_FOUND`, `401 INVALID_TOKEN`]).toContain(`${status} ${body.error?.code}`);
  });

  describe("and the next sweep", () => {
    it("leave no byte of the person in the database's files, of a user, a session or an older version of either", async () => {
      const service = current();
      const { tokens, userId, email, name } = await settled(service, app);
      await call(service, "PATCH", "/users/profile", bearer(tokens.accessToken), { name: `${name} the Second` });
      const { db, tables } = service.server.app.ctx.storage.reader;
      const user = (await db.select().from(tables.users)).find(({ id }) => id === userId);
      const passkey = (await db.select().from(tables.passkeys)).find((row) => row.userId === userId);
      const identity = (await db.select().from(tables.oauthIdentities)).find((row) => row.userId === userId);
      const password = (await db.select().from(tables.passwords)).find((row) => row.userId === userId);
      const traces = {
        email,
        name,
        "user handle": user?.handle,
        "credential id": passkey?.credentialId,
        "identity's address": identity?.email,
        "password hash": password?.hash,
      };
      const text = await service.databaseText();
      for (const [title, trace = "missing"] of Object.entries(traces))
        expect(text.includes(trace ?? ""), `${title} was there`).toBe(true);
      await deleteProfile(service, tokens);
      await service.server.app.sweep();
      const after = await service.databaseText();
      for (const [title, trace = "missing"] of Object.entries(traces))
        expect(after.includes(trace ?? ""), `${title} is left`).toBe(false);
      expect(after).toContain(userId);
    });

    it("empty the write-ahead log of SQLite, no matter who wrote it", async () => {
      const service = current();
      await settled(service, app);
      if (service.dialect === "postgres") return;
      expect(statSync(join(service.dataDir, "authsvc.db-wal")).size).toBeGreaterThan(0);
      await service.server.app.sweep();
      expect(readFileSync(join(service.dataDir, "authsvc.db-wal"))).toHaveLength(0);
    });
  });
});
