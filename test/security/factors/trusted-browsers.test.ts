import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { codeAt, firstProof, signedInWithTotp, signedUpWithTotp } from "../../support/factors.ts";
import { createTestClient, authorizeUrl } from "../../support/openid.ts";
import { goodPassword, initiate, Visitor, type Page } from "../../support/person.ts";
import { describeSqliteFirst, updateApp, withApp } from "../../support/service.ts";
import * as userAdministration from "../../../src/users/administration.ts";

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
