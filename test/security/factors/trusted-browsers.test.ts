import { eq } from "drizzle-orm";
import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import {
  codeAt,
  codesIn,
  firstProof,
  keyIn,
  signedInWithTotp,
  signedUpWithTotp,
  wrongCodeAt,
} from "../../support/factors.ts";
import { withMemberships } from "../../support/memberships.ts";
import { createTestClient, authorizeUrl } from "../../support/openid.ts";
import { goodPassword, initiate, redeem, Visitor, type Page } from "../../support/person.ts";
import { describeSqliteFirst, updateApp, withApp } from "../../support/service.ts";
import { findSecondFactor } from "../../../src/factors/store.ts";
import * as userAdministration from "../../../src/people/administration.ts";

const day = 86_400_000;
const trusting = { settings: { secondFactor: "required", trustBrowsersDays: 30 } } as const;

const isAsked = ({ done }: { done: Page }): boolean => !done.location.searchParams.has("code");

describeSqliteFirst("a trusted browser", (current) => {
  it("M15, BetterAuth-7644: is not asked until the day that it was trusted for ends, whatever its cookie says", async () => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    expect(isAsked(await firstProof(service, app, person.email, { visitor }))).toBe(false);
    expect(isAsked(await firstProof(service, app, person.email))).toBe(true);
    // The check after seven days is asked for once.
    service.clock.advance(8 * day);
    expect(isAsked(await firstProof(service, app, person.email, { visitor }))).toBe(true);
    await signedInWithTotp(service, app, person, { visitor });
    expect(isAsked(await firstProof(service, app, person.email, { visitor }))).toBe(false);
    service.clock.advance(21 * day);
    expect(isAsked(await firstProof(service, app, person.email, { visitor }))).toBe(false);
    service.clock.advance(day);
    expect(isAsked(await firstProof(service, app, person.email, { visitor }))).toBe(true);
  });

  it("M15: is asked after seven days until a code of the app is given: a recovery code leads to a new app instead", async () => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const { email } = person;
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    const byRecoveryCode = async () => {
      const { page, session } = await firstProof(service, app, email, { visitor });
      const used = await visitor.submit(page, "/step/code", { code: person.codes.pop() ?? "" });
      return { session, shown: await visitor.get(used.location.href) };
    };
    service.clock.advance(8 * day);
    const first = await byRecoveryCode();
    expect(first.shown.text).toContain("You signed in without your authenticator app.");
    await visitor.submit(first.shown, "/step/continue", {});
    // It says nothing about the app, so the question comes again.
    expect(isAsked(await firstProof(service, app, email, { visitor }))).toBe(true);
    const second = await byRecoveryCode();
    const form = await visitor.get(`${second.session.authUrl}?replace=app`);
    expect(form.text).toContain("Replace your authenticator app");
    const wrong = await visitor.submit(form, "/step/set-up", { code: wrongCodeAt(keyIn(form), service.clock.now) });
    expect([wrong.status, keyIn(wrong)]).toEqual([422, keyIn(form)]);
    const key = keyIn(wrong);
    const replaced = await visitor.submit(wrong, "/step/set-up", { code: codeAt(key, service.clock.now) });
    expect(codesIn(replaced)).toHaveLength(10);
    const done = await visitor.submit(replaced, "/step/continue", {});
    const code = done.location.searchParams.get("code") ?? "";
    const tokens = await redeem(service, app, { session: second.session, code });
    expect(decodeJwt(tokens.accessToken)["acr"]).toBe("urn:authsvc:acr:2");
    // The new app signs in, and is not due for seven days.
    await signedInWithTotp(service, app, { email, key }, { visitor, trust: true });
    expect(isAsked(await firstProof(service, app, email, { visitor }))).toBe(false);
  });

  it("M9: lets no sign-in replace an app by a recovery code while no code of the app is due, or before it", async () => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const { reader } = service.server.app.ctx.storage;
    const id = String(person.tokens.user["id"]);
    const before = (await findSecondFactor(reader, id))?.encryptedSecret;
    for (const days of [0, 8]) {
      service.clock.advance(days * day);
      const { page, session, visitor } = await firstProof(service, app, person.email);
      // After the password alone there is no such page, and its form does nothing.
      expect((await visitor.get(`${session.authUrl}?replace=app`)).text).not.toContain("/step/set-up");
      const { fields } = page.form("/step/code");
      await visitor.post(`${session.authUrl}/step/set-up`, { ...fields, code: "123456" });
      if (days > 0) continue;
      const used = await visitor.submit(page, "/step/code", { code: person.codes.pop() ?? "" });
      await visitor.get(used.location.href);
      expect((await visitor.get(`${session.authUrl}?replace=app`)).text).not.toContain("/step/set-up");
    }
    expect((await findSecondFactor(reader, id))?.encryptedSecret).toBe(before);
  });

  it("M9: lets no single sign-on replace an app by a recovery code: nobody gave the first proof now", async () => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    service.clock.advance(7 * day - 3_600_000);
    expect(isAsked(await firstProof(service, app, person.email, { visitor }))).toBe(false);
    service.clock.advance(2 * 3_600_000);
    const client = await createTestClient(service, app);
    const start = await visitor.get(authorizeUrl(service, client, { acr_values: "urn:authsvc:acr:2" }));
    const asked = await visitor.get(start.location.href);
    const used = await visitor.submit(asked, "/step/code", { code: person.codes[0] ?? "" });
    const next = await visitor.get(used.location.href);
    expect(next.text).toContain("/step/continue");
    expect(next.text).not.toContain("replace=app");
    expect((await visitor.get(`${asked.url}?replace=app`)).text).not.toContain("/step/set-up");
  });

  it("M15, scheb-2018-07-08, scheb-2019-12-19: is trusted by its user alone, and no cookie of it signs in", async () => {
    const { service, app } = await withApp(current(), trusting);
    const [one, other] = [await signedUpWithTotp(service, app), await signedUpWithTotp(service, app)];
    const { visitor } = await signedInWithTotp(service, app, one, { trust: true });
    expect(isAsked(await firstProof(service, app, other.email, { visitor }))).toBe(true);
    const elsewhere = await service.createApp(trusting);
    const there = await signedUpWithTotp(service, elsewhere);
    expect(isAsked(await firstProof(service, elsewhere, there.email, { visitor }))).toBe(true);
    for (const [name, value] of visitor.cookies) {
      const alone = new Visitor();
      alone.cookies.set(
        name,
        value.replace(/^./u, (first) => (first === "A" ? "B" : "A")),
      );
      expect(isAsked(await firstProof(service, app, one.email, { visitor: alone }))).toBe(true);
    }
    expect(isAsked(await firstProof(service, app, one.email, { visitor }))).toBe(false);
  });

  it.each(["recovery codes", "consent"] as const)(
    "M15: is trusted from the code on, also in a new browser where a page about %s follows",
    async (page) => {
      const { service, app } = await withApp(current(), trusting);
      const person = await signedUpWithTotp(service, app);
      const visitor = new Visitor();
      service.clock.advance(60_000);
      const client = await createTestClient(service, app, { consent: "ask" });
      const start = page === "consent" ? (await visitor.get(authorizeUrl(service, client))).location.href : undefined;
      const form = await visitor.get(start ?? (await initiate(service, app)).authUrl);
      await visitor.submit(form, "/password", { email: person.email, password: goodPassword });
      const code = page === "consent" ? codeAt(person.key, service.clock.now) : (person.codes[0] ?? "");
      const proven = await visitor.submit(await visitor.get(form.url), "/step/code", { code, trust: "yes" });
      const next = await visitor.get(proven.location.href);
      await visitor.submit(next, page === "consent" ? "/step/consent" : "/step/continue", {});
      expect(isAsked(await firstProof(service, app, person.email, { visitor }))).toBe(false);
    },
  );

  it("M19: gives no consent for another organization by an old proof of this browser", async () => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const userId = String(person.tokens.user["id"]);
    await updateApp(service, app, { settings: { secondFactor: "optional" } });
    const companies = await withMemberships(service, {}, app);
    const [acme, best] = [await companies.found("Acme", null), await companies.found("Best", null)];
    await companies.join(acme, ["member"], userId);
    const client = await createTestClient(service, app, {
      consent: "ask",
      scopes: ["openid", "organization"],
    });
    const visitor = new Visitor();
    const start = authorizeUrl(service, client, { scope: "openid organization" });
    const begin = async () => await visitor.get((await visitor.get(start)).location.href);
    service.clock.advance(60_000);
    const form = await begin();
    await visitor.submit(form, "/password", { email: person.email, password: goodPassword });
    const code = codeAt(person.key, service.clock.now);
    const proven = await visitor.submit(await visitor.get(form.url), "/step/code", { code });
    await visitor.submit(await visitor.get(proven.location.href), "/step/consent", {});
    service.clock.advance(11 * 60_000);
    // Consented to: no page at all.
    expect((await visitor.get(start)).location.searchParams.has("code")).toBe(true);
    await companies.leave(acme, userId);
    await companies.join(best, ["member"], userId);
    expect((await begin()).text).toContain("/password");
    await companies.join(acme, ["member"], userId);
    expect((await visitor.get(start)).location.searchParams.has("code")).toBe(true);
  });

  it("M15, H10: rests on a cookie that was new then: anybody who had a copy of all cookies before is asked", async () => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    const copy = visitor.copy();
    service.clock.advance(8 * day);
    await signedInWithTotp(service, app, person, { visitor, trust: true });
    expect(isAsked(await firstProof(service, app, person.email, { visitor: copy }))).toBe(true);
    expect(isAsked(await firstProof(service, app, person.email, { visitor }))).toBe(false);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const { userId } = tables.trustedBrowsers;
    // The account page lists this browser once.
    expect(await db.$count(tables.trustedBrowsers, eq(userId, String(person.tokens.user["id"])))).toBe(1);
  });

  it("M15: can be trusted by two people, each for themselves", async () => {
    const { service, app } = await withApp(current(), trusting);
    const [one, other] = [await signedUpWithTotp(service, app), await signedUpWithTotp(service, app)];
    const { visitor } = await signedInWithTotp(service, app, one, { trust: true });
    await signedInWithTotp(service, app, other, { visitor, trust: true });
    for (const { email } of [one, other])
      expect(isAsked(await firstProof(service, app, email, { visitor }))).toBe(false);
  });

  it("M15: satisfies no acr, no maxAge and no max_age", async () => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    for (const extra of [{ acr: "urn:authsvc:acr:2" }, { maxAge: 0 }, { maxAge: 3600 }])
      expect(isAsked(await firstProof(service, app, person.email, { visitor, extra }))).toBe(true);
    const client = await createTestClient(service, app);
    const page = await visitor.get(authorizeUrl(service, client, { acr_values: "urn:authsvc:acr:2", prompt: "none" }));
    // The browser session is of the code itself: it satisfies the client without a question.
    expect(page.location.searchParams.get("error")).toBeNull();
    await firstProof(service, app, person.email, { visitor });
    const trusted = await visitor.get(
      authorizeUrl(service, client, { acr_values: "urn:authsvc:acr:2", prompt: "none" }),
    );
    expect(trusted.location.searchParams.get("error")).toBe("login_required");
  });

  it("is offered no passkey: nothing is added to an account by trust", async () => {
    const { service, app } = await withApp(current(), { ...trusting, methods: ["password", "passkey"] });
    const person = await signedUpWithTotp(service, app);
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    const session = await initiate(service, app);
    const form = await visitor.get(session.authUrl);
    const typed = { email: person.email, password: goodPassword, passkeys: "1" };
    expect((await visitor.submit(form, "/password", typed)).location.searchParams.has("code")).toBe(true);
  });

  it("M9, M15: agrees to no program of other people: the code is asked for first, also ten minutes after it was given", async () => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    await firstProof(service, app, person.email, { visitor });
    const client = await createTestClient(service, app, { consent: "ask" });
    const asked = await visitor.get((await visitor.get(authorizeUrl(service, client))).location.href);
    service.clock.advance(60_000);
    const code = codeAt(person.key, service.clock.now);
    const proven = await visitor.submit(asked, "/step/code", { code });
    const consent = await visitor.get(proven.location.href);
    expect((await visitor.submit(consent, "/step/consent", {})).location.searchParams.has("code")).toBe(true);
    // Another program, later: as if nobody were signed in.
    const other = await createTestClient(service, app, { consent: "ask" });
    service.clock.advance(11 * 60_000);
    const silent = await visitor.get(authorizeUrl(service, other, { prompt: "none" }));
    expect(silent.location.searchParams.get("error")).toBe("login_required");
  });

  it.each([
    ["is not trusted any more where the application trusts none", "setting"],
    ["ends with the user being disabled", "disable"],
    ["is asked again in a new epoch", "epoch"],
  ] as const)("M15: %s", async (_title, change) => {
    const { service, app } = await withApp(current(), trusting);
    const person = await signedUpWithTotp(service, app);
    const { visitor, tokens } = await signedInWithTotp(service, app, person, { trust: true });
    const { ctx } = service.server.app;
    const id = String(tokens.user["id"]);
    const by = { actor: { kind: "cli", name: "test" } } as const;
    if (change === "setting") {
      const { trustBrowsersDays: _, ...settings } = trusting.settings;
      await updateApp(service, app, { settings: { ...settings, trustBrowsersDays: 0 } });
    } else if (change === "disable") {
      await userAdministration.disable(ctx, id, { dryRun: false }, by);
      await userAdministration.enable(ctx, id, { dryRun: false }, by);
    } else {
      const { secondFactors } = ctx.storage.reader.tables;
      await ctx.storage.write(async (tx) => {
        await tx.db.update(secondFactors).set({ epoch: 99 }).where(eq(secondFactors.userId, id));
      });
    }
    expect(isAsked(await firstProof(service, app, person.email, { visitor }))).toBe(true);
  });
});
