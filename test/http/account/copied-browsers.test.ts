import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { hour } from "../../../src/lib/clock.ts";
import * as ownLogins from "../../../src/sessions/login-ends.ts";
import { openAccount, press } from "../../support/account.ts";
import { addingSession, prove, signedUpIn, type SignedInVisitor } from "../../support/adding.ts";
import { givePasskey } from "../../support/methods.ts";
import { goodPassword, isLive, redeem, signIn, type Tokens, type Visitor } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

const otherPassword = "another horse, another battery";

type Owner = SignedInVisitor & { passkey: string };

describeSqliteFirst("a copy of a browser, whose holder knows the password", (current) => {
  const app = useApp(current);

  async function owner(): Promise<Owner> {
    const person = await signedUpIn(current(), app);
    return { ...person, passkey: await givePasskey(current(), String(person.user["id"])) };
  }

  function copyOf({ visitor }: SignedInVisitor): Visitor {
    const copy = visitor.copy();
    return copy;
  }

  async function signInWith(visitor: Visitor, email: string, password = goodPassword): Promise<Tokens> {
    return await redeem(current(), app, await signIn(current(), app, { email, password }, {}, visitor));
  }

  /** How many of the logins that the page lists are this browser's. */
  async function ofThisBrowser(visitor: Visitor): Promise<number> {
    const { status, text } = await openAccount(current(), app, visitor);
    expect(status).toBe(200);
    return text.split('<span class="badge">This browser').length - 1;
  }

  async function changePassword({ visitor, email }: Owner, { accessToken }: Tokens): Promise<void> {
    const session = await addingSession(current(), app, accessToken, { type: "password" });
    const open = await visitor.get(session.authUrl);
    const page = open.text.includes("Confirm it&#39;s you") ? await prove(visitor, session, email) : open;
    const done = await visitor.submit(page, "/add/password", { password: otherPassword });
    expect(done.location.searchParams.get("status")).toBe("changed");
  }

  async function pressed({ visitor }: Owner, page: string, action: string): Promise<void> {
    const shown = await openAccount(current(), app, visitor, page);
    expect((await press(app, visitor, shown, action)).status).toBe(303);
  }

  // `kept`: how many logins are the owner's browser's then.
  const copies: [when: string, copy: (person: Owner) => Promise<Visitor>, kept: number][] = [
    ["now", async (person) => copyOf(person), 1],
    [
      "before the owner's last sign-in",
      async (person) => {
        const copy = copyOf(person);
        await signInWith(person.visitor, person.email);
        return copy;
      },
      3,
    ],
    [
      "yesterday",
      async (person) => {
        const copy = copyOf(person);
        current().clock.advance(13 * hour);
        return copy;
      },
      1,
    ],
  ];

  const acts: [title: string, act: (person: Owner, tokens: Tokens) => Promise<void>][] = [
    ["a changed password", changePassword],
    ["the end of others", async (person) => await pressed(person, "", "/logins/end-others")],
    ["a removed method", async (person) => await pressed(person, `/methods/${person.passkey}/remove`, "/remove")],
  ];

  const cases = copies.flatMap(([when, copy, kept]) => acts.map(([title, act]) => ({ when, copy, kept, title, act })));

  it.each(cases)(
    "copied $when: its login is not of the owner's browser after the owner's next sign-in, and $title ends it",
    async ({ copy, kept, act }) => {
      const person = await owner();
      const thief = await copy(person);
      const stolen = await signInWith(thief, person.email);
      const unredeemed = await signIn(current(), app, person, {}, thief);
      const own = await signInWith(person.visitor, person.email);
      const late = await redeem(current(), app, unredeemed);
      expect(await ofThisBrowser(person.visitor)).toBe(kept);
      await act(person, own);
      for (const tokens of [stolen, late]) expect(await isLive(current(), app, tokens)).toBe(false);
      expect((await openAccount(current(), app, thief)).status).toBe(303);
      expect(await isLive(current(), app, own)).toBe(true);
      expect(await ofThisBrowser(person.visitor)).toBe(kept);
    },
  );

  it("an earlier login of a browser whose page session is over is not spared by a changed password", async () => {
    const person = await owner();
    current().clock.advance(13 * hour);
    const own = await signInWith(person.visitor, person.email);
    expect(await ofThisBrowser(person.visitor)).toBe(1);
    await changePassword(person, own);
    expect([await isLive(current(), app, person), await isLive(current(), app, own)]).toEqual([false, true]);
  });

  it("ends nobody's page session when it presents a cookie that has been replaced", async () => {
    const person = await owner();
    const thief = copyOf(person);
    await signInWith(person.visitor, person.email);
    await signInWith(thief, person.email);
    expect(await ofThisBrowser(person.visitor)).toBe(2);
    expect(await ofThisBrowser(thief)).toBe(1);
  });

  it("opens no account after somebody else has signed in to the owner's browser", async () => {
    const person = await owner();
    const copy = copyOf(person);
    expect((await openAccount(current(), app, copy)).status).toBe(200);
    const bob = await signedUpIn(current(), app);
    await signInWith(person.visitor, bob.email);
    expect((await openAccount(current(), app, copy)).status).toBe(303);
    expect((await openAccount(current(), app, person.visitor)).text).toContain(bob.email);
  });

  it("is not spared when it signs in between the owner's form and its change", async () => {
    const person = await owner();
    const { ctx } = current().server.app;
    const { reader } = current().server.app.ctx.storage;
    const { browserSessions } = reader.tables;
    const userId = String(person.user["id"]);
    const [shown] = await reader.db.select().from(browserSessions).where(eq(browserSessions.userId, userId));
    // The owner's form has been read; the copy is first.
    const thief = copyOf(person);
    const stolen = await signInWith(thief, person.email);
    await ownLogins.endOthers(ctx, userId, shown?.digest ?? "", { actor: { kind: "user", name: userId } });
    expect(await isLive(current(), app, stolen)).toBe(false);
    expect((await openAccount(current(), app, thief)).status).toBe(303);
  });

  it("a changed password keeps a browser that has lost its lasting cookie", async () => {
    const person = await owner();
    for (const name of person.visitor.cookies.keys()) if (name.includes("known")) person.visitor.cookies.delete(name);
    await changePassword(person, person);
    expect(await isLive(current(), app, person)).toBe(true);
    expect(await ofThisBrowser(person.visitor)).toBe(1);
    // A later sign-in there goes on with it.
    await signInWith(person.visitor, person.email, otherPassword);
    expect(await ofThisBrowser(person.visitor)).toBe(2);
  });
});
