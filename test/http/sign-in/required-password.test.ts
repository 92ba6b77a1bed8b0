import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import * as required from "../../../src/people/required-passwords.ts";
import { accountUrl, minutes, openAccount, press } from "../../support/account.ts";
import { addingSession, prove } from "../../support/adding.ts";
import { askFor, ownerOf, useLink } from "../../support/address-change.ts";
import { codeAt, firstProof, signedInWithTotp } from "../../support/factors.ts";
import {
  askForReset,
  codeIn,
  disableUser,
  linkIn,
  mailTo,
  newUser,
  useMailed,
  userWith,
} from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { giveFactor, givePasskey } from "../../support/methods.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { goodPassword, isLive, redeem, refresh, signIn, Visitor, type Page } from "../../support/person.ts";
import {
  describeEachDatabase,
  describeSqliteFirst,
  withApp,
  type TestApp,
  type TestService,
} from "../../support/service.ts";

const server = await useMailServer();
const newPassword = "a wholly different phrase";
const by = { actor: { kind: "cli", name: "test" } } as const;
const wants = "asks for a new password";

async function mark({ server: { app } }: TestService, id: string) {
  return await required.requireOf(app.ctx, id, { dryRun: false }, by);
}

/** Somebody with an address, a password and an authenticator app, for a minute. */
async function personWithFactor(service: TestService, app: TestApp) {
  const person = await newUser(service, app, { password: goodPassword });
  const key = await giveFactor(service, person.id);
  service.clock.advance(minutes);
  return { ...person, key };
}

const hasCode = (page: Page): boolean => page.location.searchParams.has("code");

describeEachDatabase("a password that must change", { mail: server.mail }, (current) => {
  it("P14: is replaced in the sign-in, with a mailed code, before anything is issued", async () => {
    const { service, app } = await withApp(current());
    const { id, email } = await newUser(service, app, { password: goodPassword });
    const before = await redeem(service, app, await signIn(service, app, { email }));
    expect(await mark(service, id)).toEqual({ id, required: true, way: "sign-in" });
    const { session, visitor, page, done } = await firstProof(service, app, email);
    expect(hasCode(done)).toBe(false);
    expect(page.text).toContain(wants);
    const asked = await visitor.submit(page, "/step/new-password/code", {});
    const mail = await mailTo(server, email);
    const wrong = await visitor.submit(asked, "/step/new-password", { code: "00000000", password: newPassword });
    expect([wrong.status, wrong.text.includes(wants)]).toEqual([422, true]);
    const same = await visitor.submit(wrong, "/step/new-password", { code: codeIn(mail), password: goodPassword });
    expect(same.text).toContain("This is your present password");
    // What runs goes on until then.
    expect((await refresh(service, app, before.refreshToken)).status).toBe(200);
    const over = await visitor.submit(same, "/step/new-password", { code: codeIn(mail), password: newPassword });
    expect([over.status, hasCode(over)]).toEqual([303, true]);
    const code = over.location.searchParams.get("code") ?? "";
    expect(await isLive(service, app, { ...(await redeem(service, app, { session, code })) })).toBe(true);
    expect(await isLive(service, app, before)).toBe(false);
    await expect(signIn(service, app, { email, password: goodPassword })).rejects.toThrow("401");
    await redeem(service, app, await signIn(service, app, { email, password: newPassword }));
    await mailTo(server, email, 1, /password was changed/u);
  });

  it("P14: takes the second factor instead of the mail, if it was there before", async () => {
    const { service, app } = await withApp(current(), { settings: { secondFactor: "required" } });
    const person = await personWithFactor(service, app);
    await mark(service, person.id);
    const { visitor, page } = await firstProof(service, app, person.email);
    const next = await visitor.submit(page, "/step/code", { code: codeAt(person.key, service.clock.now) });
    const form = await visitor.get(next.location.href);
    expect([form.text.includes(wants), form.text.includes('name="code"')]).toEqual([true, false]);
    expect(hasCode(await visitor.submit(form, "/step/new-password", { password: newPassword }))).toBe(true);
  });

  it("P14: two who replace it at once change it once", async () => {
    const { service, app } = await withApp(current(), { settings: { secondFactor: "required" } });
    const person = await personWithFactor(service, app);
    await mark(service, person.id);
    const forms: { visitor: Visitor; form: Page }[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      service.clock.advance(minutes);
      const { visitor, page } = await firstProof(service, app, person.email);
      const next = await visitor.submit(page, "/step/code", { code: codeAt(person.key, service.clock.now) });
      forms.push({ visitor, form: await visitor.get(next.location.href) });
    }
    const pages = await Promise.all(
      forms.map(({ visitor, form }, at) =>
        visitor.submit(form, "/step/new-password", { password: `${newPassword} ${at}` }),
      ),
    );
    expect(pages.filter((page) => hasCode(page))).toHaveLength(1);
  });
});

describeSqliteFirst("while a password must change", { mail: server.mail }, (current) => {
  it("P14: it counts for no change of the account, in live browsers too, and signs in to nothing silently", async () => {
    const { service, app } = await withApp(current());
    const { id, email } = await newUser(service, app, { password: goodPassword });
    const client = await createTestClient(service, app);
    const visitor = new Visitor();
    const tokens = await redeem(service, app, await signIn(service, app, { email }, {}, visitor));
    const silent = async () => (await visitor.get(authorizeUrl(service, client, { prompt: "none" }))).location;
    expect((await silent()).searchParams.has("code")).toBe(true);
    await mark(service, id);
    expect((await silent()).searchParams.get("error")).toBe("login_required");
    // The account page stays open, but every change asks for a proof, which this password is not.
    expect((await openAccount(service, app, visitor)).text).toContain(email);
    for (const page of ["/email", "/password", "/factors/set-up"]) {
      const asked = await visitor.get(accountUrl(service, app, page));
      if (asked.status === 404) continue;
      const form = await visitor.get(asked.location.href);
      const proof = await visitor.submit(form, "/password", { email, password: goodPassword });
      expect((await visitor.get(proof.location.href)).text).toContain(wants);
    }
    const adding = await addingSession(service, app, tokens.accessToken, { type: "password" });
    const shown = await prove(new Visitor(), adding, email);
    expect(shown.text).toContain(wants);
  });

  it("P14: a sign-in that already waits for a consent, in a live browser, does not end by that password", async () => {
    const { service, app } = await withApp(current());
    const { id, email } = await newUser(service, app, { password: goodPassword });
    const client = await createTestClient(service, app, { consent: "ask" });
    const visitor = new Visitor();
    await signIn(service, app, { email }, {}, visitor);
    const { location } = await visitor.get(authorizeUrl(service, client));
    const page = await visitor.get(location.href);
    await mark(service, id);
    const agreed = await visitor.submit(page, "/step/consent", {});
    expect(hasCode(agreed)).toBe(false);
    expect((await visitor.get(location.href)).form("/password").action).toContain("/password");
  });

  it("P14: a change of address that was asked for before the mark does not end after it", async () => {
    const { service, app } = await withApp(current());
    const owner = await ownerOf(service, app);
    const { to, page, mail } = await askFor(service, server, owner);
    await mark(service, owner.id);
    const over = await press(app, owner.visitor, page, "/email/code", { code: codeIn(mail) });
    expect(over.location.searchParams.get("notice")).toBeNull();
    await useLink(linkIn(mail), owner.visitor);
    // Otherwise a reset goes to whoever knows the old password.
    expect(await userWith(service, app, to)).toBeUndefined();
    expect((await userWith(service, app, owner.email))?.id).toBe(owner.id);
  });

  it("P14: a factor or an address that came after the mark proves nothing here", async () => {
    const { service, app } = await withApp(current(), { settings: { secondFactor: "optional" } });
    const { id, email } = await newUser(service, app, { password: goodPassword, emailVerified: false });
    expect(await mark(service, id)).toMatchObject({ way: "reset" });
    service.clock.advance(minutes);
    const key = await giveFactor(service, id);
    const { visitor, page } = await firstProof(service, app, email);
    const next = await visitor.submit(page, "/step/code", { code: codeAt(key, service.clock.now) });
    const form = await visitor.get(next.location.href);
    expect(form.text).toContain("/forgot-password");
    expect(() => form.form("/step/new-password")).toThrow("no form");
    const forged = await visitor.post(`${form.url}/step/new-password`, {
      ...page.form("/step/code").fields,
      password: newPassword,
    });
    expect(hasCode(forged)).toBe(false);
    await expect(signIn(service, app, { email, password: newPassword })).rejects.toThrow("401");
  });

  it("P14: a reset counts, and refuses the same password", async () => {
    const { service, app } = await withApp(current());
    const { id, email } = await newUser(service, app, { password: goodPassword });
    await mark(service, id);
    const asked = await askForReset(service, app, email);
    const mail = await mailTo(server, email);
    const same = await useMailed(linkIn(mail), { password: goodPassword });
    expect(same.text).toContain("This is your present password");
    const byCode = await asked.visitor.submit(asked.page, "/reset", { code: codeIn(mail), password: goodPassword });
    expect(byCode.text).toContain("This is your present password");
    expect((await useMailed(linkIn(mail), { password: newPassword })).text).toContain("Your password is changed");
    await redeem(service, app, await signIn(service, app, { email, password: newPassword }));
  });

  it("P14: a passkey, and a wrong password, do as always", async () => {
    const { service, app } = await withApp(current());
    const { id, email } = await newUser(service, app, { password: goodPassword });
    await givePasskey(service, id);
    await mark(service, id);
    await expect(signIn(service, app, { email, password: "wrong horse battery" })).rejects.toThrow("401");
    const { page } = await firstProof(service, app, email);
    expect(page.form("/step/passkey").action).toContain("/step/passkey");
    await disableUser(service, id);
    await expect(signIn(service, app, { email })).rejects.toThrow("401");
  });

  it("P14: a trusted browser still asks for the factor first", async () => {
    const { service, app } = await withApp(current(), {
      settings: { secondFactor: "required", trustBrowsersDays: 30 },
    });
    const person = await personWithFactor(service, app);
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    await mark(service, person.id);
    const { page } = await firstProof(service, app, person.email, { visitor });
    expect(page.form("/step/code").action).toContain("/step/code");
  });

  it("marks the passwords of an application by their date, and those without one", async () => {
    const { service, app } = await withApp(current());
    const { ctx } = service.server.app;
    const old = await newUser(service, app, { password: goodPassword });
    service.clock.advance(10 * minutes);
    const since = service.clock.now;
    const young = await newUser(service, app, { password: goodPassword, emailVerified: false });
    const undated = await newUser(service, app, { password: goodPassword });
    await ctx.storage.write(async ({ db, tables: { passwords } }) => {
      await db.update(passwords).set({ setAt: null }).where(eq(passwords.userId, undated.id));
    });
    const asked = { appId: app.id, before: since };
    const expected = { required: 2, byReset: 0, byLink: 0 };
    expect(await required.requireOfApp(ctx, asked, { dryRun: true }, by)).toEqual(expected);
    expect(await required.requireOfApp(ctx, asked, { dryRun: false }, by)).toEqual(expected);
    expect(await required.requireOfApp(ctx, asked, { dryRun: false }, by)).toMatchObject({ required: 0 });
    const page = async ({ email }: { email: string }) => (await firstProof(service, app, email)).page.text;
    expect(await page(old)).toContain(wants);
    expect(await page(undated)).toContain(wants);
    expect(await page(young)).not.toContain(wants);
    const all = await required.requireOfApp(ctx, { ...asked, before: since + minutes }, { dryRun: true }, by);
    expect(all).toEqual({ required: 1, byReset: 1, byLink: 0 });
  });
});
