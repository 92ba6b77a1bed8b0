import { expect, it } from "vitest";
import * as factors from "../../src/factors/service.ts";
import { consumeRecoveryCode } from "../../src/factors/store.ts";
import { recoveryCodeDigest } from "../../src/factors/typed-factor.ts";
import * as methods from "../../src/credentials/methods/service.ts";
import * as audit from "../../src/records/audit/audit.ts";
import * as userAdministration from "../../src/people/administration.ts";
import * as profiles from "../../src/people/profile.ts";
import * as users from "../../src/users/service.ts";
import { minutes, openAccount, press, proveAt } from "../support/account.ts";
import { addingSession } from "../support/adding.ts";
import { askFor, changeTo, ownerOf, signedInAt, undoLink, useLink, type Owner } from "../support/address-change.ts";
import { assertion, attest, newPasskey } from "../support/authenticator.ts";
import { allSent, askForReset, codeIn, disableUser, linkIn, mailTo, newUser } from "../support/mail-flows.ts";
import { useMailServer } from "../support/mail.ts";
import { giveIdentity, givePasskey } from "../support/methods.ts";
import { askedBy, askOptions, openCeremony, post } from "../support/passkey-ceremonies.ts";
import { newEmail, redeem, signIn, Visitor } from "../support/person.ts";
import { useApp, updateApp, describeEachDatabase, describeOnSqlite, type TestService } from "../support/service.ts";

const server = await useMailServer();

const days = 24 * 60 * minutes;
const operator = { kind: "cli", name: "test" } as const;

const addressOf = async (service: TestService, { id }: Pick<Owner, "id">) =>
  (await users.find(service.server.app.ctx.storage.reader, id))?.email;

describeOnSqlite("a change of address as a takeover", { mail: server.mail }, (service) => {
  const app = useApp(service);

  /** The owner, and a thief who knows the password and has asked for an address of their own. */
  async function thiefAbout(service: TestService) {
    const owner = await ownerOf(service, app);
    const thief = { ...owner, visitor: await signedInAt(service, app, owner.email) };
    return { owner, thief, asked: await askFor(service, server, thief) };
  }

  async function expectOver(service: TestService, thief: Owner, asked: Awaited<ReturnType<typeof askFor>>) {
    const before = await addressOf(service, thief);
    const typed = await press(app, thief.visitor, asked.page, "/email/code", { code: codeIn(asked.mail) });
    expect(typed.location.searchParams.has("notice")).toBe(false);
    expect((await useLink(linkIn(asked.mail), thief.visitor)).status).toBeGreaterThanOrEqual(400);
    expect(await addressOf(service, thief)).toBe(before);
  }

  it("the old address undoes it until the seventh day, and not after it", async () => {
    const owners = [await ownerOf(service, app), await ownerOf(service, app)] as const;
    for (const owner of owners) await changeTo(service, server, owner);
    const links = [await undoLink(server, owners[0].email), await undoLink(server, owners[1].email)] as const;
    service.clock.advance(7 * days - minutes);
    await useLink(links[0]);
    expect(await addressOf(service, owners[0])).toBe(owners[0].email);
    service.clock.advance(2 * minutes);
    expect((await useLink(links[1])).status).toBe(410);
    expect(await addressOf(service, owners[1])).not.toBe(owners[1].email);
  });

  it("after two changes in a row the first old address still undoes, and the address between no longer can", async () => {
    const owner = await ownerOf(service, app);
    const between = await changeTo(service, server, owner);
    const first = await undoLink(server, owner.email);
    await allSent(service);
    service.clock.advance(1000);
    await changeTo(service, server, owner);
    const links = [first, await undoLink(server, between)] as const;
    service.clock.advance(1000);
    await useLink(links[0]);
    expect(await addressOf(service, owner)).toBe(owner.email);
    expect((await useLink(links[1])).status).toBe(410);
    expect(await addressOf(service, owner)).toBe(owner.email);
  });

  it("an owner who changes back by hand needs no link: the thief's address gets none, and those it has are over", async () => {
    const owner = await ownerOf(service, app);
    const first = await changeTo(service, server, owner);
    service.clock.advance(1000);
    const second = await changeTo(service, server, owner);
    const links = [await undoLink(server, owner.email), await undoLink(server, first)];
    service.clock.advance(6 * days);
    owner.visitor = await signedInAt(service, app, second);
    await changeTo(service, server, owner, owner.email);
    await mailTo(server, second, 1, /has its earlier email address again$/u);
    await allSent(service);
    expect(server.to(second).some(({ text }) => text.includes("/restore/"))).toBe(false);
    for (const link of links) expect((await useLink(link)).status).toBe(410);
    expect(await addressOf(service, owner)).toBe(owner.email);
  });

  it("a thief who had the account for longer than the link works gets none when the owner changes back by hand", async () => {
    const owner = await ownerOf(service, app);
    const thiefs = await changeTo(service, server, owner);
    // A mail that is under way while the clock moves holds up the next ones for seconds.
    await allSent(service);
    service.clock.advance(8 * days);
    owner.visitor = await signedInAt(service, app, thiefs);
    await changeTo(service, server, owner, owner.email);
    const told = await mailTo(server, thiefs, 1, /has its earlier email address again$/u);
    await allSent(service);
    expect(server.to(thiefs).some(({ text }) => text.includes("/restore/"))).toBe(false);
    // It says nothing about the owner's browser.
    expect(told.text).not.toMatch(/^(?:Device|IP address):/mu);
  });

  it("undoing removes the password and all methods added since the change, and of the others what the owner ticks", async () => {
    const owner = await ownerOf(service, app);
    const stranger = await ownerOf(service, app);
    const own = await givePasskey(service, owner.id, "My phone");
    const prepared = await givePasskey(service, owner.id, "Prepared");
    const others = await givePasskey(service, stranger.id);
    service.clock.advance(days);
    owner.visitor = await signedInAt(service, app, owner.email);
    const thiefs = await changeTo(service, server, owner);
    await givePasskey(service, owner.id, "Since then");
    const link = await undoLink(server, owner.email);
    const visitor = new Visitor();
    const page = await visitor.get(link);
    expect(page.text).toMatch(/<li>[^]*Password[^]*Since then[^]*<fieldset[^]*My phone[^]*Prepared/u);
    // While the owner reads the page.
    await giveIdentity(service, app, owner.id);
    const ticked = { [`remove_${prepared}`]: "on", [`remove_${others}`]: "on" };
    await visitor.submit(page, new URL(link).pathname, ticked);
    const left = async ({ id }: Owner) =>
      (await methods.list(service.server.app.ctx.storage.reader, id)).map((each) => each.id);
    expect(await left(owner)).toEqual([own]);
    expect(await left(stranger)).toContain(others);
    const events = await audit.list(service.server.app.ctx, { userId: owner.id, limit: 50 });
    expect(events.filter(({ action }) => action === "method.removed")).toHaveLength(4);
    await mailTo(server, thiefs, 1, /has its earlier email address again$/u);
  });

  it("O3, M8: undoing ends recovery codes that were made since the change, of an app that stays", async () => {
    const owner = await ownerOf(service, app);
    await changeTo(service, server, owner);
    const { ctx } = service.server.app;
    const before = { secret: "GEZDGNBVGY3TQOJQ", recoveryDigests: [] };
    await ctx.storage.write((tx) => factors.importFactor(ctx, tx, owner.id, before, service.clock.now - days));
    service.clock.advance(minutes);
    const by = { actor: { kind: "user", name: owner.id } } as const;
    const [code = ""] = (await factors.renewCodes(ctx, owner.id, by)) ?? [];
    await useLink(await undoLink(server, owner.email));
    const works = (tx: Parameters<typeof consumeRecoveryCode>[0]) =>
      consumeRecoveryCode(tx, owner.id, recoveryCodeDigest(code));
    expect([await factors.hasFactor(ctx.storage.reader, owner.id), await ctx.storage.write(works)]).toEqual([
      true,
      false,
    ]);
  });

  it("undoing removes a method that a node with a slow clock stored after the change", async () => {
    const owner = await ownerOf(service, app);
    const before = await givePasskey(service, owner.id, "An hour before");
    service.clock.advance(60 * minutes);
    await givePasskey(service, owner.id, "By a clock that is 30 seconds slow");
    service.clock.advance(30_000);
    owner.visitor = await signedInAt(service, app, owner.email);
    await changeTo(service, server, owner);
    await useLink(await undoLink(server, owner.email));
    expect((await methods.list(service.server.app.ctx.storage.reader, owner.id)).map(({ id }) => id)).toEqual([before]);
  });

  it("undoing forgets the thief's browser: its next sign-in is one by a new browser", async () => {
    const owner = await ownerOf(service, app);
    const { accessToken } = await redeem(service, app, await signIn(service, app, owner, {}, owner.visitor));
    const adding = await addingSession(service, app, accessToken, { type: "passkey" });
    const step = { visitor: owner.visitor, session: adding, page: await owner.visitor.get(adding.authUrl) };
    const options = await askOptions(step);
    const passkey = newPasskey("ES256", options.user?.id);
    await post(step, attest(passkey, askedBy(service, options)));
    service.clock.advance(2 * minutes);
    const thief = { ...owner, visitor: await signedInAt(service, app, owner.email) };
    await mailTo(server, owner.email, 1, /^New sign-in/u);
    await changeTo(service, server, thief);
    await useLink(await undoLink(server, owner.email));
    // Not by a new password: a reset forgets browsers as well.
    const again = await openCeremony(service, app, "", thief.visitor);
    await post(again, assertion(passkey, askedBy(service, await askOptions(again))));
    await mailTo(server, owner.email, 2, /^New sign-in/u);
  });

  it("an undo that leaves no method leads to the choice of a new one, which nobody else has", async () => {
    const withoutPasswords = await service.createApp({
      authMethods: { password: { enabled: true }, passkey: { enabled: true, required: false } },
    });
    const owner = await ownerOf(service, withoutPasswords);
    await changeTo(service, server, owner);
    await updateApp(service, withoutPasswords, { authMethods: { password: { enabled: false } } });
    const restored = await useLink(await undoLink(server, owner.email));
    const invite = /href="([^"]*\/invite\/[^"]+)"/u.exec(restored.text)?.[1] ?? "";
    const chosen = await new Visitor().get(invite);
    expect([chosen.status, chosen.text]).toEqual([200, expect.stringContaining(owner.email)]);
    await givePasskey(service, owner.id);
    expect((await new Visitor().get(invite)).status).toBe(410);
  });

  it("what the thief still waits for when the owner undoes is over: a further change, a reset", async () => {
    const owner = await ownerOf(service, app);
    const thief = { ...owner, visitor: await signedInAt(service, app, owner.email) };
    const address = await changeTo(service, server, thief);
    const asked = await askFor(service, server, thief);
    await askForReset(service, app, address);
    const reset = linkIn(await mailTo(server, address, 1, /Reset/u));
    await useLink(await undoLink(server, owner.email));
    await expectOver(service, thief, asked);
    expect((await new Visitor().get(reset)).status).toBe(410);
  });

  it("a pending change ends when the owner resets the password", async () => {
    const { owner, thief, asked } = await thiefAbout(service);
    await askForReset(service, app, owner.email);
    const link = linkIn(await mailTo(server, owner.email, 1, /Reset/u));
    const visitor = new Visitor();
    const password = "an entirely new phrase";
    await visitor.submit(await visitor.get(link), new URL(link).pathname, { password });
    await expectOver(service, thief, asked);
    // The thief's passkey, say, still opens the account: the change stays over.
    const again = { ...thief, visitor: new Visitor() };
    await proveAt(again.visitor, await openAccount(service, app, again.visitor), owner.email, password);
    expect((await openAccount(service, app, again.visitor, "/email/code")).status).toBe(303);
  });

  it("a pending change ends when the owner removes a method", async () => {
    const { owner, thief, asked } = await thiefAbout(service);
    const passkey = await givePasskey(service, owner.id);
    const path = `/methods/${passkey}/remove`;
    const page = await openAccount(service, app, owner.visitor, path);
    expect((await press(app, owner.visitor, page, path)).status).toBe(303);
    await expectOver(service, thief, asked);
  });

  it("an operator's change of the address ends a pending change, and the links of earlier addresses", async () => {
    const { owner, thief, asked } = await thiefAbout(service);
    await changeTo(service, server, owner);
    const link = await undoLink(server, owner.email);
    const again = { ...thief, visitor: await signedInAt(service, app, (await addressOf(service, owner)) ?? "") };
    const waits = await askFor(service, server, again);
    const { ctx } = service.server.app;
    const email = newEmail();
    service.clock.advance(1000);
    await userAdministration.update(
      ctx,
      owner.id,
      { email, emailVerified: true },
      { dryRun: false },
      { actor: operator },
    );
    await expectOver(service, again, waits);
    await expectOver(service, thief, asked);
    expect((await useLink(link)).status).toBe(410);
    expect(await addressOf(service, owner)).toBe(email);
  });

  it("a pending change ends when anybody changes the address", async () => {
    const { owner, thief, asked } = await thiefAbout(service);
    await changeTo(service, server, owner);
    await expectOver(service, thief, asked);
  });

  it("a pending change ends when its browser is signed out, or the user is disabled", async () => {
    const first = await thiefAbout(service);
    const page = await openAccount(service, app, first.owner.visitor);
    await press(app, first.owner.visitor, page, "/logins/end-all");
    await expectOver(service, first.thief, first.asked);
    const second = await thiefAbout(service);
    await disableUser(service, second.owner.id);
    await userAdministration.enable(service.server.app.ctx, second.owner.id, { dryRun: false }, { actor: operator });
    await expectOver(service, second.thief, second.asked);
  });

  it("the code works in no other browser, though it is signed in to the same account", async () => {
    const { owner, asked } = await thiefAbout(service);
    const { token = "" } = (await openAccount(service, app, owner.visitor, "/profile")).form("app_id=" + app.id).fields;
    const url = `${service.url}/account/email/code?app_id=${app.id}`;
    const typed = await owner.visitor.post(url, { token, code: codeIn(asked.mail) });
    expect([typed.status, typed.location.pathname, typed.location.search]).toEqual([
      303,
      "/account",
      `?app_id=${app.id}`,
    ]);
    expect(await addressOf(service, owner)).toBe(owner.email);
    expect((await owner.visitor.get(linkIn(asked.mail))).status).toBe(403);
  });

  it("the link that undoes works for nobody who is disabled, and nothing is consumed by opening it", async () => {
    const owner = await ownerOf(service, app);
    await changeTo(service, server, owner);
    const link = await undoLink(server, owner.email);
    for (let nth = 0; nth < 3; nth += 1) expect((await new Visitor().get(link)).status).toBe(200);
    await disableUser(service, owner.id);
    expect((await useLink(link)).status).toBe(410);
    await userAdministration.enable(service.server.app.ctx, owner.id, { dryRun: false }, { actor: operator });
    await useLink(link);
    expect(await addressOf(service, owner)).toBe(owner.email);
  });

  it("the old address cannot be blocked by another account that never verified it, or by its deletion", async () => {
    const { ctx } = service.server.app;
    for (const deletes of [false, true]) {
      const owner = await ownerOf(service, app);
      await changeTo(service, server, owner);
      const blocker = await newUser(service, app, { email: owner.email, emailVerified: false });
      if (deletes) await profiles.remove(ctx, blocker.id, { actor: operator });
      await useLink(await undoLink(server, owner.email));
      expect(await addressOf(service, owner)).toBe(owner.email);
      expect(await addressOf(service, blocker)).toBe(deletes ? undefined : null);
    }
  });

  it("an address that another account has verified by now is not taken away from it", async () => {
    const owner = await ownerOf(service, app);
    await changeTo(service, server, owner);
    const other = await newUser(service, app, { email: owner.email });
    const refused = await useLink(await undoLink(server, owner.email));
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("Another account")]);
    expect(await addressOf(service, other)).toBe(owner.email);
  });
});

describeEachDatabase(
  "a change of address that meets another act at the same moment",
  { mail: server.mail },
  (service) => {
    it("a reset and a change: whoever is second finds what the first one left", async () => {
      const app = await service.createApp();
      for (let nth = 0; nth < 3; nth += 1) {
        const owner = await ownerOf(service, app);
        const { page, mail } = await askFor(service, server, owner, newEmail());
        await askForReset(service, app, owner.email);
        const link = linkIn(await mailTo(server, owner.email, 1, /Reset/u));
        const visitor = new Visitor();
        const form = await visitor.get(link);
        const [reset, changed] = await Promise.all([
          visitor.submit(form, new URL(link).pathname, { password: "an entirely new phrase" }),
          press(app, owner.visitor, page, "/email/code", { code: codeIn(mail) }),
        ]);
        const hasChanged = (await addressOf(service, owner)) !== owner.email;
        // Of the new address, or of the new password: never both.
        expect([reset.status === 200, hasChanged].filter(Boolean)).toHaveLength(1);
        expect(changed.location.searchParams.get("notice") === "email").toBe(hasChanged);
        const opens = await users.findByEmail(service.server.app.ctx.storage.reader, app.id, owner.email);
        expect(opens === undefined).toBe(hasChanged);
      }
    });
  },
);
