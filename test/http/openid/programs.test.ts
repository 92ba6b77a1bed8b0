import { beforeAll, expect, it } from "vitest";
import * as consents from "../../../src/applications/clients/consents.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { accountUrl, openAccount, press } from "../../support/account.ts";
import { signedUpIn, type SignedInVisitor } from "../../support/adding.ts";
import { createClient, secretOf, signInByClient, type SignedInByClient } from "../../support/clients-logout.ts";
import { refreshWith } from "../../support/openid-tokens.ts";
import { isLive, redeem, signIn, Visitor } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

describeSqliteFirst("programs with access, on the account page", (current) => {
  const app = useApp(current);
  let wiki: string;
  let chat: string;
  let notes: string;
  beforeAll(async () => {
    wiki = await createClient(current(), app, { name: "Team <wiki>", consent: "ask" });
    chat = await createClient(current(), app, { name: "Chat" });
    notes = await createClient(current(), app, { name: "Notes", consent: "ask" });
  });

  type Someone = SignedInVisitor & {
    id: string;
    wiki: SignedInByClient;
    elsewhere: SignedInByClient;
    chat: SignedInByClient;
  };

  /** Signed in by the wiki, here and elsewhere, and by the chat. Only the wiki asks. */
  async function someone(): Promise<Someone> {
    const person = await signedUpIn(current(), app);
    const { visitor, email, user } = person;
    const id = String(user["id"]);
    await agree(id, wiki, ["openid", "email"]);
    return {
      ...person,
      id,
      wiki: await signInByClient(current(), email, wiki, visitor),
      elsewhere: await signInByClient(current(), email, wiki),
      chat: await signInByClient(current(), email, chat, visitor),
    };
  }

  async function agree(userId: string, clientId: string, scopes: string[]): Promise<void> {
    const { ctx } = current().server.app;
    const { storage } = ctx;
    const found = await clients.find(ctx, ctx.storage.reader, clientId);
    if (!found) throw new Error("no such client");
    await storage.write((tx) => consents.agree(tx, { client: found.client, userId, scopes }, current().clock.now));
  }

  const remove = (clientId: string): string => `/programs/${clientId}/remove`;

  it("lists those with a consent or a live login, in words", async () => {
    const person = await someone();
    const { text } = await openAccount(current(), app, person.visitor);
    expect(text).toContain("Programs with access");
    expect(text).toContain("Team &lt;wiki&gt;");
    expect(text).toContain("Your email address");
    for (const clientId of [wiki, chat]) expect(text).toContain(remove(clientId));
    expect(text).not.toContain("Notes");
  });

  it("says nothing where no program has access", async () => {
    const { visitor } = await signedUpIn(current(), app);
    expect((await openAccount(current(), app, visitor)).text).not.toContain("Programs with access");
  });

  it("removes the consent, ends the logins of this program everywhere, and nothing else", async () => {
    const person = await someone();
    const stranger = await someone();
    const page = await openAccount(current(), app, person.visitor);
    const removed = await press(app, person.visitor, page, remove(wiki));
    const { text } = await person.visitor.get(removed.location.href);
    expect(text).toContain("That program no longer has access to your account.");
    expect(text).not.toContain(remove(wiki));
    expect(text).toContain(remove(chat));
    for (const ended of [person.wiki, person.elsewhere]) expect(await isLive(current(), app, ended)).toBe(false);
    const itself = { client: { id: wiki }, secret: secretOf(wiki) };
    expect((await refreshWith(current(), itself, person.wiki.refreshToken)).status).toBe(400);
    for (const kept of [person, person.chat, stranger.wiki]) expect(await isLive(current(), app, kept)).toBe(true);
    const { ctx } = current().server.app;
    expect(await consents.list(ctx, person.id)).toEqual([]);
    expect(await consents.list(ctx, stranger.id)).toHaveLength(1);
    const events = await audit.list(ctx, { userId: person.id, limit: 20 });
    const [event] = events.filter(({ action }) => action === "consent.remove");
    expect(event).toMatchObject({ actor: `user:${person.id}`, details: { clientId: wiki, logins: 2 } });
  });

  it("removes a consent that has no login any more, and the access of a program that does not ask", async () => {
    const person = await someone();
    await agree(person.id, notes, ["openid"]);
    for (const clientId of [notes, chat]) {
      const page = await openAccount(current(), app, person.visitor);
      expect((await press(app, person.visitor, page, remove(clientId))).location.search).toContain("access-removed");
    }
    expect(await isLive(current(), app, person.chat)).toBe(false);
    expect((await consents.list(current().server.app.ctx, person.id)).map(({ clientId }) => clientId)).toEqual([wiki]);
  });

  it("makes a code on its way worthless", async () => {
    const person = await someone();
    const code = await signIn(current(), app, { email: person.email });
    const page = await openAccount(current(), app, person.visitor);
    await press(app, person.visitor, page, remove(wiki));
    await expect(redeem(current(), app, code)).rejects.toThrow("callback answered 400");
  });

  it("refuses what has no access, a form of another site, and a browser that is not signed in", async () => {
    const person = await someone();
    const page = await openAccount(current(), app, person.visitor);
    const { token = "" } = page.form(`${remove(wiki)}?app_id=${app.id}`).fields;
    for (const id of [notes, "cli_nobody", app.id, "__proto__", "%00"])
      expect((await person.visitor.post(accountUrl(current(), app, remove(id)), { token })).status).toBeGreaterThan(
        399,
      );
    const url = accountUrl(current(), app, remove(wiki));
    const crossSite = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    expect((await person.visitor.post(url, { token }, crossSite)).status).toBe(403);
    expect((await person.visitor.post(url, {})).status).toBe(403);
    expect((await new Visitor().post(url, { token })).location.pathname).toBe("/account");
    expect(await isLive(current(), app, person.wiki)).toBe(true);
  });

  it("is part of the data that the person downloads", async () => {
    const person = await someone();
    const page = await openAccount(current(), app, person.visitor, "/data");
    const data = await person.visitor.submit(page, `/account/data?app_id=${app.id}`, {});
    const at = expect.stringMatching(/Z$/u) as string;
    expect((data.json() as { consents: unknown }).consents).toEqual([
      { clientId: wiki, name: "Team <wiki>", scopes: ["openid", "email"], resources: [], createdAt: at, updatedAt: at },
    ]);
  });
});
