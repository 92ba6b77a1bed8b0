import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { recordFactorTries } from "../../../src/factors/store.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import * as users from "../../../src/users/service.ts";
import {
  codeAt,
  codesIn,
  firstProof,
  keyIn,
  signedInWithTotp,
  signedUpWithTotp,
  wrongCodeAt,
  type Authenticated,
} from "../../support/factors.ts";
import { goodPassword, initiate, newEmail, Visitor, type Page } from "../../support/person.ts";
import {
  describeEachDatabase,
  describeSqliteFirst,
  withApp,
  type TestApp,
  type TestService,
} from "../../support/service.ts";

const required = { settings: { secondFactor: "required" } } as const;

/** The status of a page that asks for no code: too many were wrong. */
const asksForNone = 200;

/**
 * A person after the right password, each time in a browser of its own. A page that asks for no
 * code is the answer.
 */
async function tryCode(service: TestService, app: TestApp, { email }: { email: string }, code: string): Promise<Page> {
  const { visitor, page } = await firstProof(service, app, email);
  return page.text.includes('/step/code"') ? await visitor.submit(page, "/step/code", { code }) : page;
}

/** A code in the digits of another script, whose zero this is. */
function inDigits(zero: number, code: string): string {
  return code.replaceAll(/\d/gu, (digit) => String.fromCodePoint(zero + Number(digit)));
}

/** The row of the person's factor. */
async function factorOf(service: TestService, { email }: { email: string }) {
  const { db, tables } = service.server.app.ctx.storage.reader;
  const { secondFactors, users } = tables;
  const [row] = await db
    .select({ failures: secondFactors.failures, lastStep: secondFactors.lastStep })
    .from(secondFactors)
    .innerJoin(users, eq(users.id, secondFactors.userId))
    .where(eq(users.email, email));
  if (!row) throw new Error("no factor");
  return row;
}

describeEachDatabase("a typed code", (current) => {
  it("M1, CVE-2015-7225, CVE-2022-25838, Hanko-2723, CVE-2025-6014, CVE-2026-33473: is not taken again, in another session either", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    service.clock.advance(60_000);
    const code = codeAt(person.key, service.clock.now);
    expect((await tryCode(service, app, person, code)).status).toBe(303);
    expect((await tryCode(service, app, person, code)).status).toBe(422);
  });

  it("M1, CVE-2021-43177: is not taken again in the next step, nor is an earlier one", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    service.clock.advance(90_000);
    const [before, code] = [-30_000, 0].map((by) => codeAt(person.key, service.clock.now + by));
    expect((await tryCode(service, app, person, code ?? "")).status).toBe(303);
    expect((await tryCode(service, app, person, before ?? "")).status).toBe(422);
    service.clock.advance(30_000);
    expect((await tryCode(service, app, person, code ?? "")).status).toBe(422);
  });

  it("M1: that confirmed the set-up does not sign in", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    expect((await tryCode(service, app, person, codeAt(person.key, service.clock.now))).status).toBe(422);
  });

  it.each<[string, (person: Authenticated, now: number) => string]>([
    ["a time step", ({ key }, now) => codeAt(key, now)],
    ["a recovery code", ({ codes }) => codes[3] ?? ""],
  ])(
    "M2, Logto-9109, BetterAuth-8067, CVE-2026-20779, Authorizer-761, Authorizer-762: %s has one winner of fifty at the same time, and stays used",
    async (_title, codeOf) => {
      const { service, app } = await withApp(current(), required);
      const person = await signedUpWithTotp(service, app);
      service.clock.advance(60_000);
      const code = codeOf(person, service.clock.now);
      const proofs = await Promise.all(
        Array.from({ length: 50 }, async () => await firstProof(service, app, person.email)),
      );
      const pages = await Promise.all(proofs.map(({ visitor, page }) => visitor.submit(page, "/step/code", { code })));
      expect(pages.filter(({ status }) => status === 303)).toHaveLength(1);
      service.clock.advance(3_600_000);
      await signedInWithTotp(service, app, person);
      expect((await tryCode(service, app, person, code)).status).toBe(422);
    },
  );

  it("M3, CVE-2026-35597: is counted whatever becomes of the request", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    const { visitor, page } = await firstProof(service, app, person.email);
    await visitor.submit(page, "/step/code", { code: wrongCodeAt(person.key, service.clock.now) });
    expect((await factorOf(service, person)).failures).toBe(1);
    // The session is over before the proof: everything else of this request is rolled back.
    service.clock.advance(11 * 60_000);
    await visitor.submit(page, "/step/code", { code: wrongCodeAt(person.key, service.clock.now) });
    const again = await firstProof(service, app, person.email);
    await Promise.all(
      [1, 2, 3].map(() =>
        again.visitor.submit(again.page, "/step/code", { code: wrongCodeAt(person.key, service.clock.now) }),
      ),
    );
    expect((await factorOf(service, person)).failures).toBe(4);
  });
});

describeSqliteFirst("guessing codes", (current) => {
  it("M3, usd-2021-0016, CVE-2026-56450, BetterAuth-10210, Casdoor-5270, CVE-2020-25827, dragonflight-72fc608d: reaches a hundred in a row, over sessions, kinds, right passwords and restarts", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    let checked = 0;
    for (let time = 0; time < 130; time += 1) {
      // Longer than any wait.
      service.clock.advance(901_000);
      const early = checked === 99 ? await firstProof(service, app, person.email) : undefined;
      const wrong = time % 2 === 0 ? wrongCodeAt(person.key, service.clock.now) : "AAAA-".repeat(6).slice(0, -1);
      const { status } = await tryCode(service, app, person, wrong);
      expect([422, asksForNone]).toContain(status);
      checked += status === 422 ? 1 : 0;
      // A page that asked for the code before the last one does not help.
      const code = codeAt(person.key, service.clock.now);
      if (early) expect((await early.visitor.submit(early.page, "/step/code", { code })).status).toBe(429);
    }
    expect(checked).toBe(100);
    service.clock.advance(86_400_000);
    const page = await tryCode(service, app, person, codeAt(person.key, service.clock.now));
    expect([page.status, page.text.includes("/step/code")]).toEqual([asksForNone, false]);
  });

  it("M3: has ten tries more once an operator unblocks it, each after a wait; only a right one ends the count", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    const { ctx } = service.server.app;
    const { id } = (await users.findByEmail(ctx.storage.reader, app.id, person.email)) ?? { id: "" };
    const unblock = async (factor: boolean) =>
      await userAdministration.unblock(ctx, id, { dryRun: false, factor }, { actor: { kind: "cli", name: "test" } });
    const wrongCodes = async (times: number): Promise<number[]> => {
      const statuses: number[] = [];
      for (let time = 0; time < times; time += 1) {
        service.clock.advance(901_000);
        statuses.push((await tryCode(service, app, person, wrongCodeAt(person.key, service.clock.now))).status);
      }
      return statuses;
    };
    await ctx.storage.write((tx) => recordFactorTries(tx, { userId: id, failures: 100, blockedUntil: 0 }));
    const right = async () => (await tryCode(service, app, person, codeAt(person.key, service.clock.now))).status;
    expect(await right()).toBe(asksForNone);
    expect(await unblock(false)).toEqual({ passwords: 0, factor: false });
    expect(await right()).toBe(asksForNone);
    expect(await unblock(true)).toEqual({ passwords: 0, factor: true });
    expect((await factorOf(service, person)).failures).toBe(90);
    expect(await wrongCodes(12)).toEqual([...Array.from({ length: 10 }, () => 422), asksForNone, asksForNone]);
    expect(await unblock(true)).toEqual({ passwords: 0, factor: true });
    // One wrong code begins a wait, which it also ends, with the count as it was.
    await wrongCodes(1);
    expect(await right()).toBe(429);
    expect(await unblock(true)).toEqual({ passwords: 0, factor: true });
    expect((await factorOf(service, person)).failures).toBe(90);
    service.clock.advance(60_000);
    expect(await right()).toBe(303);
    expect((await factorOf(service, person)).failures).toBe(0);
  });

  it("M3: has five tries, then waits of 1, 2, 4 … seconds; the right code ends the count", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    service.clock.advance(60_000);
    const wrong = async () => await tryCode(service, app, person, wrongCodeAt(person.key, service.clock.now));
    for (let time = 0; time < 6; time += 1) expect((await wrong()).status).toBe(422);
    const waiting = await wrong();
    expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([429, "1"]);
    service.clock.advance(1000);
    expect((await tryCode(service, app, person, codeAt(person.key, service.clock.now))).status).toBe(303);
    expect((await factorOf(service, person)).failures).toBe(0);
  });

  it.each([
    ["six digits in groups", (code: string) => `${code.slice(0, 3)} ${code.slice(3)}`],
    ["a trailing space", (code: string) => `${code} `],
    ["a dash", (code: string) => `${code.slice(0, 3)}-${code.slice(3)}`],
    ["Arabic digits", (code: string) => inDigits(0x660, code)],
    ["full-width digits", (code: string) => inDigits(0xff10, code)],
  ])("M3, CVE-2025-6015: knows a used code with %s", async (_title, spelt) => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    service.clock.advance(60_000);
    const code = codeAt(person.key, service.clock.now);
    expect((await tryCode(service, app, person, spelt(code))).status).toBe(303);
    expect((await tryCode(service, app, person, code)).status).toBe(422);
    expect((await factorOf(service, person)).failures).toBe(1);
  });

  it.each([
    ["nothing", ""],
    ["letters", "abcdef"],
    ["circled digits", "①②③④⑤⑥⑦"],
    ["seven digits", "1234567"],
    ["a long text", "1".repeat(10_000)],
    ["an array", "[123456]"],
  ])("M13, authboss-351: answers %s with one clear sentence, and counts nothing", async (_title, text) => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    const page = await tryCode(service, app, person, text);
    expect(page.status).toBe(422);
    expect(page.text).toContain("Enter the six digits that your app shows.");
    expect((await factorOf(service, person)).failures).toBe(0);
  });

  it("M13, CVE-2025-64175: takes no recovery code of another user", async () => {
    const { service, app } = await withApp(current(), required);
    const [one, other] = [await signedUpWithTotp(service, app), await signedUpWithTotp(service, app)];
    expect((await tryCode(service, app, one, other.codes[0] ?? "")).status).toBe(422);
    expect((await tryCode(service, app, other, other.codes[0] ?? "")).status).toBe(303);
  });

  it("M3: tells the person at ten wrong codes in a row, once", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    for (let time = 0; time < 12; time += 1) {
      service.clock.advance(901_000);
      await tryCode(service, app, person, wrongCodeAt(person.key, service.clock.now));
    }
    const { db, tables } = service.server.app.ctx.storage.reader;
    const entries = await db.select().from(tables.auditEvents).where(eq(tables.auditEvents.action, "factor.guessed"));
    expect(entries.filter(({ appId }) => appId === app.id)).toHaveLength(1);
  });

  it("M16, BetterAuth-6604, S6: a finished sign-in takes no second code", async () => {
    const { service, app } = await withApp(current(), required);
    const person = await signedUpWithTotp(service, app);
    service.clock.advance(60_000);
    const { visitor, page } = await firstProof(service, app, person.email);
    const before = visitor.copy();
    const done = await visitor.submit(page, "/step/code", { code: codeAt(person.key, service.clock.now) });
    expect(done.location.searchParams.get("code")).not.toBeNull();
    service.clock.advance(30_000);
    for (const browser of [visitor, before]) {
      const again = await browser.submit(page, "/step/code", { code: codeAt(person.key, service.clock.now) });
      expect(again.headers.get("location") ?? "").not.toContain("code=");
    }
    expect((await new Visitor().submit(page, "/step/code", { code: "000000" })).status).toBeGreaterThanOrEqual(400);
  });
});

describeSqliteFirst("a code as people type it", (current) => {
  it("M3: of the app is taken in Persian, Arabic and full-width digits, at the set-up and at a sign-in", async () => {
    const { service, app } = await withApp(current(), required);
    const zeros = { Arabic: 0x660, Persian: 0x6f0, "full-width": 0xff10 };
    for (const zero of Object.values(zeros)) {
      const spelt = (code: string): string => inDigits(zero, code).replace(/^.../u, "$& - ");
      const email = newEmail();
      const visitor = new Visitor();
      const session = await initiate(service, app);
      const form = await visitor.get(`${session.authUrl}/create-account`);
      const created = await visitor.submit(form, "/create-account", { email, name: "", password: goodPassword });
      const page = await visitor.get(created.location.href);
      const key = keyIn(page);
      const shown = await visitor.submit(page, "/step/set-up", { code: spelt(codeAt(key, service.clock.now)) });
      const [code = ""] = codesIn(shown);
      service.clock.advance(60_000);
      expect((await tryCode(service, app, { email }, spelt(codeAt(key, service.clock.now)))).status).toBe(303);
      expect((await tryCode(service, app, { email }, spelt(code.toLowerCase()))).status).toBe(303);
    }
  });
});
