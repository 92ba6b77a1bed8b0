import { hash } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import * as newPasswords from "../../../src/credentials/passwords/new-passwords.ts";
import * as passwords from "../../../src/credentials/passwords/service.ts";
import { openAccount, proveAt } from "../../support/account.ts";
import { addingSession, prove, signedUpIn } from "../../support/adding.ts";
import { comparable, openForm, toNextMinute, tryPassword } from "../../support/limits.ts";
import { askForReset, codeIn, hasReset, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { signInByPasskey, signUpByPasskey } from "../../support/passkey-ceremonies.ts";
import { goodPassword, initiate, newEmail, signIn, Visitor } from "../../support/person.ts";
import { startProvider, type FakeProvider } from "../../support/providers/provider.ts";
import { appWith, codeOf, signInAt } from "../../support/providers/round.ts";
import {
  useApp,
  describeEachDatabase,
  describeSqliteFirst,
  testConfig,
  type TestApp,
  type TestService,
} from "../../support/service.ts";

const server = await useMailServer();

const newPassword = "what the owner chose instead";
const wrong = "not the password of anybody";
/** From the sixth failure on an account waits; the sixth itself is looked at. */
const looksBeforeAWait = 6;

/** What the throttle counts is whatever was looked at. */
async function looksAt(service: TestService): Promise<number[]> {
  const { db, tables } = service.server.app.ctx.storage.reader;
  return (await db.select().from(tables.passwordFailures)).map(({ failures }) => failures).toSorted((a, b) => a - b);
}

async function forgetAll({ server: { app } }: TestService): Promise<void> {
  await app.ctx.storage.write(async ({ db, tables }) => void (await db.delete(tables.passwordFailures)));
}

/** A try in a browser that keeps its cookies. */
async function tryIn(visitor: Visitor, service: TestService, app: TestApp, email: string, password: string) {
  const page = await visitor.get((await initiate(service, app)).authUrl);
  return await visitor.submit(page, "/password", { email, password });
}

async function fail(service: TestService, app: TestApp, email: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await tryPassword(service, app, email, wrong);
}

async function newAccount(service: TestService) {
  const app = await service.createApp();
  const { id: userId, email } = await newUser(service, app, { password: goodPassword });
  return { service, app, userId, email };
}

/** All at the same time, each in a browser of its own that has the form open. */
async function tryAtOnce(service: TestService, app: TestApp, tries: { email: string; password: string }[]) {
  const forms = await Promise.all(tries.map(async (typed) => ({ typed, ...(await openForm(service, app)) })));
  return await Promise.all(
    forms.map(async ({ visitor, page, typed }) => await visitor.submit(page, "/password", typed)),
  );
}

async function reset(service: TestService, app: TestApp, email: string): Promise<void> {
  const { visitor, page } = await askForReset(service, app, email);
  const code = codeIn(await mailTo(server, email));
  const done = await visitor.submit(page, "/reset", { code, password: newPassword });
  if (!hasReset(done)) throw new Error(`the reset answered ${done.status}: ${done.text}`);
}

async function works(service: TestService, app: TestApp, email: string): Promise<boolean> {
  return (await tryPassword(service, app, email, goodPassword)).status === 303;
}

describeEachDatabase("the throttle of an account", (service, { restart }) => {
  let google: FakeProvider;
  beforeAll(async () => {
    google = await startProvider("google");
  });
  afterAll(async () => await google.close());

  it("L4, CVE-2023-47111: of sixty parallel wrong passwords no more than the limit are looked at", async () => {
    const { app, email } = await newAccount(service);
    await forgetAll(service);
    const tries = Array.from({ length: 60 }, () => ({ email, password: wrong }));
    const pages = await tryAtOnce(service, app, tries);
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([401]));
    expect(await looksAt(service)).toEqual([looksBeforeAWait]);
    expect(await works(service, app, email)).toBe(false);
  });

  it("L4: thirty right passwords at the same time all sign in: none of them counts as a failure", async () => {
    const { app, email } = await newAccount(service);
    const tries = Array.from({ length: 30 }, () => ({ email, password: goodPassword }));
    const pages = await tryAtOnce(service, app, tries);
    expect(pages.map(({ status }) => status)).toEqual(tries.map(() => 303));
  });

  it("L4: right passwords need no clock: one that is older than the try before it, or of a node whose clock is behind, signs in", async () => {
    const { app, email } = await newAccount(service);
    expect(await works(service, app, email)).toBe(true);
    service.clock.advance(-2000);
    expect(await works(service, app, email)).toBe(true);
    await fail(service, app, email, 1);
    service.clock.advance(-2000);
    expect(await works(service, app, email)).toBe(true);
    service.clock.advance(4000);
  });

  it("L4: a right password that signs nobody in, because another account was asked for, is a failure like any other", async () => {
    const app = await service.createApp();
    const { accessToken } = await signedUpIn(service, app);
    const other = await newUser(service, app, { password: goodPassword });
    await forgetAll(service);
    const tryIn = async (password: string) => {
      const session = await addingSession(service, app, accessToken, { type: "passkey" });
      return await prove(new Visitor(), session, other.email, password);
    };
    for (let time = 1; time <= looksBeforeAWait; time += 1) {
      expect((await tryIn(goodPassword)).status).toBe(401);
      expect(await looksAt(service)).toEqual([time]);
    }
    const [right, bad] = [await tryIn(goodPassword), await tryIn(wrong)];
    expect(right.status).toBe(401);
    expect(comparable(right)).toBe(comparable(bad));
    expect(await looksAt(service)).toEqual([looksBeforeAWait]);
  });

  it("L4: a password that is replaced while it is looked at signs nobody in, and is a failure that clears none", async () => {
    const { app, userId, email } = await newAccount(service);
    await forgetAll(service);
    await fail(service, app, email, 2);
    const { ctx } = service.server.app;
    const { storage, clock } = ctx;
    const application = await applications.find(ctx, ctx.storage.reader, app.id);
    if (!application) throw new Error("the application is gone");
    const attempt = passwords.admitTry(ctx, "192.0.2.1");
    const proof = await passwords.prove(ctx, application, { email, password: goodPassword, browser: "", attempt });
    const hash = await newPasswords.hash(ctx, newPassword, undefined);
    await storage.write((tx) => passwords.set(ctx, tx, userId, hash, clock()));
    const counting = storage.write(async (tx) => {
      // As a sign-in does: what is not there any more takes everything back.
      if ((await proof.count(tx, clock())).kind !== "proven") throw new Error("undone");
    });
    await expect(counting).rejects.toThrow("undone");
    expect(await looksAt(service)).toEqual([2]);
    await proof.refuse();
    expect(await looksAt(service)).toEqual([3]);
    attempt.end();
  });

  it("a hash that is renewed after the password was changed does not bring the old password back", async () => {
    const { app, userId, email } = await newAccount(service);
    const { ctx } = service.server.app;
    const { storage, clock } = ctx;
    const { db, tables } = storage.reader;
    const application = await applications.find(ctx, ctx.storage.reader, app.id);
    if (!application) throw new Error("the application is gone");
    const ofUser = eq(tables.passwords.userId, userId);
    // Hashed elsewhere, so that a sign-in renews it.
    const cheap = `$ssha-sha512$c2FsdA$${sha512(`${goodPassword}salt`)}`;
    await storage.write(async (tx) => void (await tx.db.update(tables.passwords).set({ hash: cheap }).where(ofUser)));
    const attempt = passwords.admitTry(ctx, "192.0.2.1");
    const proof = await passwords.prove(ctx, application, { email, password: goodPassword, browser: "", attempt });
    expect(await storage.write((tx) => proof.count(tx, clock()))).toMatchObject({ userId });
    const changed = await newPasswords.hash(ctx, newPassword, undefined);
    await storage.write((tx) => passwords.set(ctx, tx, userId, changed, clock()));
    await proof.renew();
    attempt.end();
    expect(await db.select({ hash: tables.passwords.hash }).from(tables.passwords).where(ofUser)).toEqual([
      { hash: changed },
    ]);
    expect(await works(service, app, email)).toBe(false);
    expect((await tryPassword(service, app, email, newPassword)).status).toBe(303);
  });

  it("L5, CVE-2025-24806, CVE-2024-32868: one counter over every spelling and every form that takes a password", async () => {
    const app = await service.createApp();
    const { email, accessToken } = await signedUpIn(service, app);
    await forgetAll(service);
    const account = async (spelling: string, password: string) =>
      await proveAt(...(await toAccount(service, app)), spelling, password);
    const adding = async (spelling: string, password: string) =>
      await prove(
        new Visitor(),
        await addingSession(service, app, accessToken, { type: "passkey" }),
        spelling,
        password,
      );
    const signingIn = async (spelling: string, password: string) => await tryPassword(service, app, spelling, password);
    const spellings = [email, email.toUpperCase(), ` ${email}\t`, email.replace("e", "E"), `${email} `, email];
    for (const [n, spelling] of spellings.entries()) {
      const page = await [signingIn, account, adding][n % 3]?.(spelling, wrong);
      expect(page?.status).toBe(401);
    }
    expect(await looksAt(service)).toEqual([looksBeforeAWait]);
    for (const entry of [signingIn, account, adding]) expect((await entry(email, goodPassword)).status).toBe(401);
    service.clock.advance(1000);
    expect((await account(email, goodPassword)).status).toBe(303);
  });

  it("L6, CVE-2026-9798: the right password is refused like a wrong one, also on a page that was opened before", async () => {
    const { app, email } = await newAccount(service);
    const [before, beforeToo] = [await openForm(service, app), await openForm(service, app)];
    await fail(service, app, email, looksBeforeAWait);
    const right = await before.visitor.submit(before.page, "/password", { email, password: goodPassword });
    const bad = await beforeToo.visitor.submit(beforeToo.page, "/password", { email, password: wrong });
    const nobody = newEmail();
    const unknown = await tryPassword(service, app, nobody, wrong);
    expect([right.status, bad.status, unknown.status]).toEqual([401, 401, 401]);
    expect(comparable(right)).toBe(comparable(bad));
    expect(comparable(right)).toBe(comparable(unknown));
    expect(right.headers.get("retry-after")).toBeNull();
    // What was refused was not looked at either: the wait has not grown.
    service.clock.advance(1000);
    expect((await before.visitor.submit(before.page, "/password", { email, password: goodPassword })).status).toBe(303);
  });

  it("L7: the owner of an account under attack signs in by passkey and by provider", async () => {
    const app = await appWith(service, [google], { methods: ["password", "passkey", "oauth"] });
    const { email, passkey } = await signUpByPasskey(service, app);
    await fail(service, app, email, looksBeforeAWait + 1);
    expect((await signInByPasskey(service, app, passkey)).status).toBe(303);

    const person = { subject: "1", email: newEmail(), emailVerified: true };
    codeOf((await signInAt(service, app, google, person)).done);
    await fail(service, app, person.email, looksBeforeAWait + 1);
    expect(codeOf((await signInAt(service, app, google, person)).done)).toMatch(/\S/u);
  });

  it("tries from a browser that the user has signed in with before are counted apart, also after a restart", async () => {
    const { app, email } = await newAccount(service);
    const [own, other] = [new Visitor(), new Visitor()];
    await signIn(service, app, { email }, {}, own);
    await signIn(service, app, { email: (await newUser(service, app, { password: goodPassword })).email }, {}, other);
    await fail(service, app, email, looksBeforeAWait + 3);
    await restart();
    const inOwn = async (password: string) => await tryIn(own, service, app, email, password);
    const [wrongInOwn, wrongElsewhere] = [await inOwn(wrong), await tryIn(other, service, app, email, wrong)];
    expect([wrongInOwn.status, comparable(wrongInOwn)]).toEqual([401, comparable(wrongElsewhere)]);
    expect((await inOwn(goodPassword)).status).toBe(303);
    // Somebody else's known browser is nobody's here, and this user's success ends no wait of
    // strangers.
    expect((await tryIn(other, service, app, email, goodPassword)).status).toBe(401);
    expect(await works(service, app, email)).toBe(false);
    // What fails in it makes it wait like any other, with the same page.
    for (let time = 0; time < looksBeforeAWait; time += 1) await inOwn(wrong);
    const right = await inOwn(goodPassword);
    expect([right.status, comparable(right)]).toEqual([401, comparable(wrongInOwn)]);
    service.clock.advance(1000);
    expect((await inOwn(goodPassword)).status).toBe(303);
  });
});

describeEachDatabase("an operator who unblocks somebody", (current) => {
  it("L7: lets them try again at once, in new and in known browsers, and nobody else", async () => {
    const { service, app, userId, email } = await newAccount(current());
    const { ctx } = service.server.app;
    const other = await newUser(service, app, { password: goodPassword });
    const own = new Visitor();
    await signIn(service, app, { email }, {}, own);
    const unblock = async (dryRun: boolean) =>
      await userAdministration.unblock(
        ctx,
        userId,
        { dryRun, factor: false },
        { actor: { kind: "cli", name: "test" } },
      );
    const inOwn = async (password: string) => (await tryIn(own, service, app, email, password)).status;
    expect(await unblock(false)).toEqual({ passwords: 0, factor: false });
    await forgetAll(service);
    toNextMinute(service);
    for (let time = 0; time < looksBeforeAWait; time += 1) await inOwn(wrong);
    for (const address of [email, other.email]) {
      toNextMinute(service);
      await fail(service, app, address, looksBeforeAWait);
    }
    toNextMinute(service);
    // As after more wrong ones: these have waited for a second only.
    const blockedUntil = service.clock.now + 600_000;
    await ctx.storage.write(async ({ db, tables }) => {
      await db.update(tables.passwordFailures).set({ blockedUntil });
    });
    expect([await inOwn(goodPassword), await works(service, app, email)]).toEqual([401, false]);

    expect(await unblock(true)).toEqual({ passwords: 2, factor: false });
    expect(await works(service, app, email)).toBe(false);
    expect(await unblock(false)).toEqual({ passwords: 2, factor: false });
    expect([await inOwn(goodPassword), await works(service, app, email)]).toEqual([303, true]);
    expect(await works(service, app, other.email)).toBe(false);
    expect(await unblock(false)).toEqual({ passwords: 0, factor: false });
    const { db, tables } = ctx.storage.reader;
    const entries = await db.select().from(tables.auditEvents).where(eq(tables.auditEvents.action, "user.unblock"));
    expect(entries.map(({ userId: whose, details }) => [whose, details])).toEqual([
      [userId, { passwords: 2, factor: false }],
    ]);
  });
});

describeSqliteFirst("the throttle of an account, and the reset", { mail: server.mail }, (service, { restart }) => {
  it("L7, L8: no more than a hundred wrong passwords in a row are ever looked at, over restarts as well; a reset opens it again", async () => {
    const { app, email } = await newAccount(service);
    await forgetAll(service);
    const everyQuarterFor = async (quarters: number): Promise<void> => {
      for (let quarter = 0; quarter < quarters; quarter += 1) {
        await tryPassword(service, app, email, wrong);
        service.clock.advance(900_000);
      }
    };
    await everyQuarterFor(60);
    expect(await looksAt(service)).toEqual([60]);
    await restart();
    await everyQuarterFor(60);
    await service.server.app.sweep();
    await everyQuarterFor(5);
    expect(await looksAt(service)).toEqual([100]);
    expect(await works(service, app, email)).toBe(false);
    await restart();
    expect(await works(service, app, email)).toBe(false);

    await reset(service, app, email);
    expect((await tryPassword(service, app, email, newPassword)).status).toBe(303);
  });

  it("a refused try never extends the time that an account is shut, and a known browser is not shut out at all", async () => {
    const { app, email } = await newAccount(service);
    const own = new Visitor();
    await signIn(service, app, { email }, {}, own);
    await forgetAll(service);
    for (let quarter = 0; quarter < 110; quarter += 1) {
      await tryPassword(service, app, email, wrong);
      service.clock.advance(900_000);
    }
    expect(await looksAt(service)).toEqual([100]);
    expect((await tryIn(own, service, app, email, goodPassword)).status).toBe(303);
    for (let hour = 0; hour < 24; hour += 1) {
      await tryPassword(service, app, email, goodPassword);
      service.clock.advance(3_600_000);
    }
    expect(await works(service, app, email)).toBe(true);
  });
});

function sha512(text: string): string {
  return hash("sha512", text, "base64").replaceAll("=", "");
}

async function toAccount(service: TestService, app: TestApp): Promise<[Visitor, Awaited<ReturnType<Visitor["get"]>>]> {
  const visitor = new Visitor();
  return [visitor, await openAccount(service, app, visitor)];
}

describeSqliteFirst(
  "the throttle of a network",
  { passwords: { ...testConfig.passwords, attemptsPerMinute: 10 } },
  (service, { restart }) => {
    const app = useApp(service);

    it("L2, Hanko-2739, CVE-2023-36456: no header gives an attacker an eleventh password, whatever address it claims", async () => {
      toNextMinute(service);
      const names = [
        ..."x-forwarded-for forwarded x-real-ip cf-connecting-ip true-client-ip x_forwarded_for".split(" "),
        ..."x-client-ip x-cluster-client-ip".split(" "),
      ];
      const seen: number[] = [];
      for (let n = 0; n < 26; n += 1) {
        const name = names[n % names.length] ?? "";
        const claim = name === "forwarded" ? `for=203.0.113.${n};proto=https` : `203.0.113.${n}`;
        seen.push((await tryPassword(service, app, newEmail(), wrong, { [name]: claim })).status);
      }
      expect(seen).toEqual(Array.from({ length: 26 }, (_, n) => (n < 10 ? 401 : 429)));
    });

    it("L8: ten passwords a minute over all accounts and forms, and a restart gives no ten more", async () => {
      toNextMinute(service);
      for (let n = 0; n < 9; n += 1) await tryPassword(service, app, newEmail(), wrong);
      await restart();
      expect((await tryPassword(service, app, newEmail(), wrong)).status).toBe(401);
      const refused = await tryPassword(service, app, newEmail(), wrong);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
      const { visitor } = await openForm(service, app);
      const form = await visitor.get((await openForm(service, app)).page.url + "/create-account");
      const values = { email: newEmail(), name: "", password: goodPassword };
      expect((await visitor.submit(form, "/create-account", values)).status).toBe(429);
      toNextMinute(service);
      expect((await tryPassword(service, app, newEmail(), wrong)).status).toBe(401);
    });

    it("L4: of fifty parallel tries at as many accounts ten are looked at, and the others cost their accounts nothing", async () => {
      toNextMinute(service);
      await forgetAll(service);
      const tries = Array.from({ length: 50 }, () => ({ email: newEmail(), password: wrong }));
      const pages = await tryAtOnce(service, app, tries);
      expect(pages.filter(({ status }) => status === 401)).toHaveLength(10);
      expect(pages.filter(({ status }) => status === 429)).toHaveLength(40);
      expect(await looksAt(service)).toEqual(Array.from({ length: 10 }, () => 1));
    });

    it("L6: parallel tries cannot tell the right password of an account that waits from a wrong one: each uses up one of the network's tries", async () => {
      const { app, email } = await newAccount(service);
      const atOnce = 20;
      for (const typed of [[goodPassword], [wrong], [goodPassword, wrong]]) {
        await forgetAll(service);
        toNextMinute(service);
        await fail(service, app, email, looksBeforeAWait);
        const tries = Array.from({ length: atOnce }, (_, n) => ({ email, password: typed[n % typed.length] ?? "" }));
        const pages = await tryAtOnce(service, app, tries);
        const answers = pages.map(({ status }) => status).toSorted((a, b) => a - b);
        const left = 10 - looksBeforeAWait;
        expect(answers).toEqual(Array.from({ length: atOnce }, (_, n) => (n < left ? 401 : 429)));
        expect(await looksAt(service)).toEqual([looksBeforeAWait]);
      }
    });

    it("thirty people behind one address sign in within a minute, in a row or at once; ten failures there shut it for the minute", async () => {
      const people = [];
      for (let n = 0; n < 30; n += 1) people.push(await newUser(service, app, { password: goodPassword }));
      toNextMinute(service);
      const inARow = [];
      for (const { email } of people) inARow.push((await tryPassword(service, app, email, goodPassword)).status);
      const tries = people.map(({ email }) => ({ email, password: goodPassword }));
      const atOnce = await tryAtOnce(service, app, tries);
      expect([...inARow, ...atOnce.map(({ status }) => status)]).toEqual(Array.from({ length: 60 }, () => 303));
      const failures = [];
      for (let n = 0; n < 11; n += 1) failures.push((await tryPassword(service, app, newEmail(), wrong)).status);
      expect(failures).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
      expect((await tryPassword(service, app, people[0]?.email ?? "", goodPassword)).status).toBe(429);
    });

    it("the address of anybody who tried stands nowhere in the counts", async () => {
      await tryPassword(service, app, newEmail(), wrong);
      const { db, tables } = service.server.app.ctx.storage.reader;
      const counts = await db.select().from(tables.rateLimitCounts);
      expect(counts.length).toBeGreaterThan(0);
      for (const { digest } of counts) expect(digest).toMatch(/^[\w-]{43}$/u);
      // What is over is swept.
      service.clock.advance(3_600_000);
      await service.server.app.sweep();
      const left = await db.select().from(tables.rateLimitCounts).where(eq(tables.rateLimitCounts.used, 1));
      expect(left.filter(({ endsAt }) => endsAt < service.clock.now - 3_000_000)).toEqual([]);
    });
  },
);
