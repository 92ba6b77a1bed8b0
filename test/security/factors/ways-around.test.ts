import { expect, it } from "vitest";
import * as factors from "../../../src/factors/service.ts";
import { personWithFactor } from "../../support/account-factors.ts";
import { accountUrl, openAccount, press } from "../../support/account.ts";
import { askFor, changeTo, ownerOf, signedInAt, undoLink, useLink } from "../../support/address-change.ts";
import { codeAt, codesIn, firstProof, keyIn, signedInWithTotp, signedUpWithTotp } from "../../support/factors.ts";
import { invite } from "../../support/invites.ts";
import { codeIn, linkIn, newUser, userWith } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { giveFactor, givePasskey, methodsOf, removeMethod } from "../../support/methods.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { goodPassword, newEmail, signedUp, Visitor } from "../../support/person.ts";
import { describeSqliteFirst, updateApp, withApp, type TestApp, type TestService } from "../../support/service.ts";

const optional = { settings: { secondFactor: "optional" } } as const;
const required = { settings: { secondFactor: "required" } } as const;
const server = await useMailServer();

/** Sets an app up in a browser that is signed in to the account page. */
async function setUpIn(service: TestService, app: TestApp, visitor: Visitor): Promise<string> {
  const page = await openAccount(service, app, visitor, "/factor");
  const shown = await press(app, visitor, page, "/account/factor", { code: codeAt(keyIn(page), service.clock.now) });
  expect(codesIn(shown)).toHaveLength(10);
  return keyIn(page);
}

describeSqliteFirst("a way around a second factor", (service) => {
  it("M9, M15: is no trusted browser where passkeys are required from now on: the code comes before a new passkey", async () => {
    const { app } = await withApp(service, {
      settings: { secondFactor: "required", trustBrowsersDays: 30 },
      methods: ["password", "passkey"],
    });
    const person = await signedUpWithTotp(service, app);
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    await updateApp(service, app, { authMethods: { passkey: { required: true } } });
    service.clock.advance(7_200_000);
    const { page, session } = await firstProof(service, app, person.email, { visitor });
    expect(page.text).toContain("/step/code");
    const { fields } = page.form("/step/code");
    const forced = await visitor.post(`${session.authUrl}/step/new-passkey/options`, fields);
    expect(forced.status).toBe(400);
    await visitor.submit(page, "/step/code", { code: codeAt(person.key, service.clock.now) });
    expect((await visitor.get(session.authUrl)).text).toContain("/step/new-passkey");
  });

  it("M9: is no invitation, although somebody who signs in by mail alone has no method", async () => {
    const { app } = await withApp(service, { ...optional, methods: ["password"] });
    const email = newEmail();
    const { userId } = await invite(service, app, email, { link: true });
    await giveFactor(service, userId ?? "");
    await expect(invite(service, app, email, { link: true })).rejects.toMatchObject({ code: "CONFLICT" });
  });

  it("M9: is no older invitation either", async () => {
    const { app } = await withApp(service, { ...optional, methods: ["password"] });
    const { userId, link } = await invite(service, app, newEmail(), { link: true });
    await giveFactor(service, userId ?? "");
    expect((await new Visitor().get(link ?? "")).status).toBe(410);
  });

  it("M9: is not the removal of a passkey that is the only second factor while one is required", async () => {
    const { app } = await withApp(service, { methods: ["password", "passkey"] });
    const tokens = await signedUp(service, app);
    const passkey = await givePasskey(service, String(tokens.user["id"]));
    await updateApp(service, app, required);
    const refused = await removeMethod(service, tokens, passkey);
    expect(refused.body.error?.code).toBe("INSUFFICIENT_SCOPE");
    const by = { actor: { kind: "cli", name: "test" } } as const;
    await updateApp(service, app, { settings: { secondFactor: "off" } });
    expect((await methodsOf(service, tokens)).map(({ id }) => id)).toContain(passkey);
    expect((await removeMethod(service, tokens, passkey)).status).toBe(200);
    await expect(factors.remove(service.server.app.ctx, String(tokens.user["id"]), by)).resolves.toBe(false);
  });

  it("M11: is no set-up page that was open while a passkey was added elsewhere: the passkey is asked for instead", async () => {
    const { app } = await withApp(service, { ...required, methods: ["password", "passkey"] });
    const { id, email } = await newUser(service, app, { password: goodPassword });
    const { visitor, page, session } = await firstProof(service, app, email);
    await givePasskey(service, id);
    const late = await visitor.submit(page, "/step/set-up", { code: codeAt(keyIn(page), service.clock.now) });
    expect(codesIn(late)).toEqual([]);
    expect(late.location.href).toBe(session.authUrl);
    expect(await factors.hasFactor(service.server.app.ctx.storage.reader, id)).toBe(false);
    const next = await visitor.get(session.authUrl);
    expect(next.text).toContain("/step/passkey");
    expect(next.text).not.toContain("/step/set-up");
  });

  it("M11: is no set-up that a passkey, added elsewhere, overtook between what it read and its transaction", async () => {
    const { app } = await withApp(service, { ...required, methods: ["password", "passkey"] });
    const { id, email } = await newUser(service, app, { password: goodPassword });
    const { visitor, page, session } = await firstProof(service, app, email);
    const { ctx } = service.server.app;
    const { write } = ctx.storage;
    ctx.storage.write = async (work) => {
      if (new Error("who writes").stack?.includes("/src/sign-in/proofs.ts") !== true) return await write(work);
      ctx.storage.write = write;
      await givePasskey(service, id);
      return await write(work);
    };
    const late = await visitor.submit(page, "/step/set-up", { code: codeAt(keyIn(page), service.clock.now) });
    expect(ctx.storage.write).toBe(write);
    expect(late.location.href).toBe(session.authUrl);
    expect(await factors.hasFactor(ctx.storage.reader, id)).toBe(false);
  });

  it("M10: is no single sign-on that read the factor just before it was removed", async () => {
    const { app } = await withApp(service, required);
    const person = await signedUpWithTotp(service, app);
    const { visitor, tokens } = await signedInWithTotp(service, app, person);
    const client = await createTestClient(service, app);
    const address = authorizeUrl(service, client, { acr_values: "urn:authsvc:acr:2", prompt: "none" });
    expect((await visitor.get(address)).location.searchParams.has("code")).toBe(true);
    const { ctx } = service.server.app;
    const { write } = ctx.storage;
    const by = { actor: { kind: "cli", name: "test" } } as const;
    // Between what the request reads and its transaction.
    ctx.storage.write = async (work) => {
      ctx.storage.write = write;
      await factors.remove(ctx, String(tokens.user["id"]), by, { evenRequired: true });
      return await write(work);
    };
    const late = await visitor.get(address);
    expect(ctx.storage.write).toBe(write);
    expect(late.location.searchParams.get("error")).toBe("login_required");
  });

  it("M5: is no half-done single sign-on of a browser that signed out", async () => {
    const { app } = await withApp(service, required);
    const person = await signedUpWithTotp(service, app);
    await updateApp(service, app, { settings: { secondFactor: "required", trustBrowsersDays: 30 } });
    const { visitor } = await signedInWithTotp(service, app, person, { trust: true });
    await firstProof(service, app, person.email, { visitor });
    const client = await createTestClient(service, app);
    const start = await visitor.get(authorizeUrl(service, client, { acr_values: "urn:authsvc:acr:2" }));
    const asked = await visitor.get(start.location.href);
    expect(asked.text).toContain("/step/code");
    await press(app, visitor, await openAccount(service, app, visitor), "/account/sign-out");
    service.clock.advance(60_000);
    const done = await visitor.submit(asked, "/step/code", { code: codeAt(person.key, service.clock.now) });
    expect(done.headers.get("location") ?? "").not.toContain("code=");
  });
});

describeSqliteFirst("a changed address beside a second factor", { mail: server.mail }, (service) => {
  it("M9, M11: is not finished by a browser that began it before the factor was set up", async () => {
    const { app } = await withApp(service, optional);
    const owner = await ownerOf(service, app);
    const asked = await askFor(service, server, owner);
    await setUpIn(service, app, await signedInAt(service, app, owner.email));
    const link = linkIn(asked.mail);
    const page = await owner.visitor.get(link);
    if (page.status === 200 && page.text.includes("<form"))
      await owner.visitor.submit(page, new URL(link).pathname, {}).catch(() => undefined);
    expect((await userWith(service, app, owner.email))?.id).toBe(owner.id);
    expect((await owner.visitor.get(accountUrl(service, app, "/email/code"))).status).toBe(303);
  });

  it.each(["added", "replaced", "removed"] as const)(
    "M9: that waits for its mail ends when a second factor is %s, in the same browser too",
    async (how) => {
      const { app } = await withApp(service, optional);
      const owner = how === "added" ? await ownerOf(service, app) : await personWithFactor(service, app);
      const { visitor, email, id } = owner;
      const asked = await askFor(service, server, owner);
      service.clock.advance(30_000);
      if (how === "removed")
        await press(app, visitor, await openAccount(service, app, visitor, "/remove-factor"), "/account/remove-factor");
      else await setUpIn(service, app, visitor);
      expect(await factors.hasFactor(service.server.app.ctx.storage.reader, id)).toBe(how !== "removed");
      expect((await openAccount(service, app, visitor)).status).toBe(200);
      await press(app, visitor, asked.page, "/email/code", { code: codeIn(asked.mail) });
      await useLink(linkIn(asked.mail), visitor).catch(() => undefined);
      expect((await userWith(service, app, email))?.id).toBe(id);
    },
  );

  it("M9: that is undone ends the factor that was set up since, which may be a thief's", async () => {
    const { app } = await withApp(service, optional);
    const owner = await ownerOf(service, app);
    await changeTo(service, server, owner);
    const link = await undoLink(server, owner.email);
    service.clock.advance(60_000);
    await setUpIn(service, app, owner.visitor);
    await useLink(link);
    const { reader } = service.server.app.ctx.storage;
    expect(await factors.hasFactor(reader, owner.id)).toBe(false);
  });

  it("M8: that is undone leaves a factor that was there before", async () => {
    const { app } = await withApp(service, optional);
    const owner = await ownerOf(service, app);
    const key = await setUpIn(service, app, owner.visitor);
    service.clock.advance(11 * 60_000);
    const visitor = new Visitor();
    const asked = await openAccount(service, app, visitor);
    const form = await visitor.get(asked.location.href);
    const proven = await visitor.submit(form, "/password", {
      email: owner.email,
      password: "correct horse battery staple",
    });
    const step = await visitor.get(proven.location.href);
    await visitor.submit(step, "/step/code", { code: codeAt(key, service.clock.now) });
    await changeTo(service, server, { ...owner, visitor });
    await useLink(await undoLink(server, owner.email));
    expect(await factors.hasFactor(service.server.app.ctx.storage.reader, owner.id)).toBe(true);
  });
});
