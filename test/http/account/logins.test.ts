import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import * as loginAdministration from "../../../src/sessions/login-administration.ts";
import * as ownLogins from "../../../src/sessions/own-logins.ts";
import { accountUrl, minutes, openAccount, press, proveAt } from "../../support/account.ts";
import { signedUpIn, type SignedInVisitor } from "../../support/adding.ts";
import { isLive, redeem, refresh, signIn, Visitor, type Tokens } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

const mac =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const phone =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

describeSqliteFirst("where somebody is signed in, on the account page", (current) => {
  const app = useApp(current);

  /** Signs in to the app once more, in this browser. */
  async function signInWith(visitor: Visitor, email: string): Promise<Tokens> {
    return await redeem(current(), app, await signIn(current(), app, { email }, {}, visitor));
  }

  /** Somebody at a Mac, who is signed in on a phone as well. */
  async function someone(): Promise<SignedInVisitor & { phone: Tokens; phoneVisitor: Visitor }> {
    const person = await signedUpIn(current(), app, new Visitor({ "user-agent": mac }));
    const phoneVisitor = new Visitor({ "user-agent": phone });
    return { ...person, phoneVisitor, phone: await signInWith(phoneVisitor, person.email) };
  }

  async function loginId({ accessToken }: Tokens): Promise<string> {
    return await loginAdministration.loginIdOf(current().server.app.ctx, accessToken);
  }

  function badgedTitles(text: string): string[] {
    return [...text.matchAll(/<bdi>([^<]*)<\/bdi>\s*<span class="badge">This browser/gu)].map(
      ([, title = ""]) => title,
    );
  }

  it("names devices and addresses, and the one that is this browser", async () => {
    const { visitor, phoneVisitor } = await someone();
    const { text } = await openAccount(current(), app, visitor);
    for (const words of ["Chrome on macOS", "Safari on iPhone", "127.0.0.1", "Last seen now", "UTC"])
      expect(text).toContain(words);
    expect(text).not.toContain("Mozilla");
    expect(badgedTitles(text)).toEqual(["Chrome on macOS"]);
    expect(badgedTitles((await openAccount(current(), app, phoneVisitor)).text)).toEqual(["Safari on iPhone"]);
  });

  it("tells times in the browser's time zone, if it has told a real one", async () => {
    const { visitor } = await someone();
    const textIn = async (zone: string): Promise<string> => {
      visitor.cookies.set("authsvc_time_zone", zone);
      return (await openAccount(current(), app, visitor)).text;
    };
    expect(await textIn("Asia/Tokyo")).not.toContain("UTC");
    for (const zone of ["Nowhere/At_All", "", "<b>", "x".repeat(500)]) expect(await textIn(zone)).toContain("UTC");
  });

  it("still knows this browser after a proof in between", async () => {
    const { visitor, email } = await someone();
    current().clock.advance(10 * minutes);
    await proveAt(visitor, await openAccount(current(), app, visitor, "/delete"), email);
    expect(badgedTitles((await openAccount(current(), app, visitor)).text)).toEqual(["Chrome on macOS"]);
  });

  it("keeps one browser session for a user and a browser, and a further sign-in there writes no earlier login", async () => {
    const { user, email, visitor } = await signedUpIn(current(), app, new Visitor({ "user-agent": mac }));
    const id = String(user["id"]);
    const { reader } = current().server.app.ctx.storage;
    const { logins, browserSessions } = reader.tables;
    const loginsOf = async () => await reader.db.select().from(logins).where(eq(logins.userId, id));
    const [first] = await loginsOf();
    await signInWith(visitor, email);
    const both = await loginsOf();
    expect(both).toContainEqual(first);
    const second = both.find((login) => login.id !== first?.id);
    expect(second?.browserSessionDigest).toBe(first?.browserSessionDigest);
    const sessions = await reader.db.select().from(browserSessions).where(eq(browserSessions.userId, id));
    expect(sessions.map(({ tie }) => tie)).toEqual([first?.browserSessionDigest]);
  });

  it("ends one: its tokens are refused by the next call, and its browser must sign in to this page again", async () => {
    const person = await someone();
    const page = await openAccount(current(), app, person.visitor);
    const ended = await press(app, person.visitor, page, `/logins/${await loginId(person.phone)}/end`);
    expect((await person.visitor.get(ended.location.href)).text).toContain("That device is signed out.");
    expect(await isLive(current(), app, person.phone)).toBe(false);
    expect((await refresh(current(), app, person.phone.refreshToken)).status).toBe(401);
    expect((await openAccount(current(), app, person.phoneVisitor)).status).toBe(303);
    expect(await isLive(current(), app, person)).toBe(true);
    const again = await press(app, person.visitor, page, `/logins/${await loginId(person.phone)}/end`);
    expect(again.status).toBe(303);
  });

  it("leaves this page open when a login that has ended is ended again", async () => {
    const person = await someone();
    const page = await openAccount(current(), app, person.visitor);
    const id = await loginId(person);
    await current().server.app.ctx.storage.write(({ db, tables: { logins } }) =>
      db.update(logins).set({ endedAt: current().clock.now, endReason: "refresh-reuse" }).where(eq(logins.id, id)),
    );
    const ended = await press(app, person.visitor, page, `/logins/${id}/end`);
    expect(ended.location.searchParams.get("notice")).toBe("login-ended");
    expect((await openAccount(current(), app, person.visitor)).status).toBe(200);
  });

  it("does that without asking for a fresh proof", async () => {
    const person = await someone();
    current().clock.advance(30 * minutes);
    const page = await openAccount(current(), app, person.visitor);
    await press(app, person.visitor, page, `/logins/${await loginId(person.phone)}/end`);
    const logins = await ownLogins.list(current().server.app.ctx, String(person.user["id"]));
    expect(logins.map(({ id }) => id)).toEqual([await loginId(person)]);
  });

  it("ends the one of this browser together with this page", async () => {
    const person = await someone();
    const page = await openAccount(current(), app, person.visitor);
    const ended = await press(app, person.visitor, page, `/logins/${await loginId(person)}/end`);
    expect(ended.location.href).toBe(accountUrl(current(), app, "/signed-out"));
    expect(await isLive(current(), app, person)).toBe(false);
    expect((await openAccount(current(), app, person.visitor)).status).toBe(303);
    expect(await isLive(current(), app, person.phone)).toBe(true);
  });

  it("ends all others: logins, account pages, and a code on its way", async () => {
    const person = await someone();
    const unredeemed = await signIn(current(), app, { email: person.email });
    const page = await openAccount(current(), app, person.visitor);
    const ended = await press(app, person.visitor, page, "/logins/end-others");
    const { text } = await person.visitor.get(ended.location.href);
    expect(text).toContain("You&#39;re signed out everywhere else.");
    expect(text).not.toContain("Safari on iPhone");
    expect([await isLive(current(), app, person), await isLive(current(), app, person.phone)]).toEqual([true, false]);
    expect((await openAccount(current(), app, person.phoneVisitor)).status).toBe(303);
    await expect(redeem(current(), app, unredeemed)).rejects.toThrow("callback answered 400");
  });

  it("ends nobody else's", async () => {
    const person = await someone();
    const stranger = await someone();
    const page = await openAccount(current(), app, person.visitor);
    const { token = "" } = page.form(`/logins/end-all?app_id=${app.id}`).fields;
    for (const id of [await loginId(stranger), "lgn_nobody", "__proto__"]) {
      const refused = await person.visitor.post(accountUrl(current(), app, `/logins/${id}/end`), { token });
      expect(refused.status).toBe(404);
    }
    expect(await isLive(current(), app, stranger)).toBe(true);
  });

  it("says so when there is none", async () => {
    const { email } = await signedUpIn(current(), app);
    const visitor = new Visitor();
    await proveAt(visitor, await openAccount(current(), app, visitor), email);
    const person = await openAccount(current(), app, visitor);
    await press(app, visitor, person, "/logins/end-others");
    const { text } = await openAccount(current(), app, visitor);
    expect(text).toContain("You aren&#39;t signed in to Acme");
    expect(text).not.toContain("Sign out everywhere else");
  });

  it("writes down who ended what, from where", async () => {
    const person = await someone();
    const page = await openAccount(current(), app, person.visitor);
    await press(app, person.visitor, page, "/logins/end-all");
    const userId = String(person.user["id"]);
    const events = await audit.list(current().server.app.ctx, { userId, limit: 20 });
    const ends = events.filter(({ action }) => action === "user.logout");
    const ended = new Set(ends.map(({ details }) => details["loginId"]));
    expect(ended).toEqual(new Set([await loginId(person), await loginId(person.phone)]));
    for (const event of ends) expect(event).toMatchObject({ actor: `user:${userId}`, ipAddress: "127.0.0.1" });
    const logins = await loginAdministration.list(current().server.app.ctx, userId, { all: true });
    expect(logins.map(({ endReason }) => endReason)).toEqual(["account", "account"]);
  });
});
