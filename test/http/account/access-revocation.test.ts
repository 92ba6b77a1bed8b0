import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import * as resetLinks from "../../../src/credentials/mailed/reset-links.ts";
import * as logins from "../../../src/sessions/login-administration.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import { openAccount, press } from "../../support/account.ts";
import { addingSession, prove, signedUpIn, type SignedInVisitor } from "../../support/adding.ts";
import { bearer, givePasskey, removeMethod } from "../../support/methods.ts";
import { call, isLive, redeem, refresh, signIn, Visitor, type Tokens } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";
import { createEndpoint } from "../../support/webhooks.ts";

const otherPassword = "another horse, another battery";
const operator = { kind: "cli", name: "test" } as const;

/**
 * The owner in a browser, and everything that somebody else may hold of the account at the same
 * time.
 */
type Owner = SignedInVisitor & { userId: string; passkey: string };
type Held = {
  tokens: Tokens;
  visitor: Visitor;
  code: Awaited<ReturnType<typeof signIn>>;
  submitKeptProof(): Promise<number>;
};

describeSqliteFirst("what else was signed in", (current) => {
  const app = useApp(current);
  beforeAll(async () => {
    const events = ["user.logout", "user.updated", "user.deleted"] as const;
    await createEndpoint(current(), app, { url: "https://hooks.example.com/", events: [...events] });
  });

  async function owner(): Promise<Owner> {
    const person = await signedUpIn(current(), app);
    const userId = String(person.user["id"]);
    return { ...person, userId, passkey: await givePasskey(current(), userId) };
  }

  /** A login and an account page in one browser, a code of a second and a kept proof of a third. */
  async function elsewhere({ email, accessToken }: Owner): Promise<Held> {
    const visitor = new Visitor();
    const tokens = await redeem(current(), app, await signIn(current(), app, { email }, {}, visitor));
    expect((await openAccount(current(), app, visitor)).status).toBe(200);
    const other = new Visitor();
    const session = await addingSession(current(), app, accessToken, { type: "password" });
    const page = await prove(other, session, email);
    return {
      tokens,
      visitor,
      code: await signIn(current(), app, { email }),
      submitKeptProof: async () => {
        const done = await other.submit(page, "/add/password", { password: "a thief's own password" });
        return done.location.searchParams.has("methodId") ? done.status : 0;
      },
    };
  }

  async function loginOf({ accessToken }: Tokens): Promise<string> {
    return await logins.loginIdOf(current().server.app.ctx, accessToken);
  }

  async function changeBy(person: Owner, url: string): Promise<void> {
    const page = await person.visitor.get(url);
    const done = await person.visitor.submit(page, "/add/password", { password: otherPassword });
    expect(done.status).toBe(303);
  }

  async function pressed(person: Owner, page: string, action: string): Promise<void> {
    const shown = await openAccount(current(), app, person.visitor, page);
    expect((await press(app, person.visitor, shown, action)).status).toBe(303);
  }

  const ctx = () => current().server.app.ctx;
  const doing = { dryRun: false };

  const byOwner: [title: string, act: (person: Owner) => Promise<void>][] = [
    [
      "a changed password ends every other login of the user",
      async (person) => {
        const session = await addingSession(current(), app, person.accessToken, { type: "password" });
        await changeBy(person, session.authUrl);
      },
    ],
    [
      "a password that is changed on the account page ends every other login of the user",
      async (person) => {
        const page = await openAccount(current(), app, person.visitor);
        const begun = await press(app, person.visitor, page, "/add", { adds: "password" });
        await changeBy(person, begun.location.href);
      },
    ],
    [
      "a method that the app removes for its user ends every login but the one that asked",
      async (person) => {
        expect((await removeMethod(current(), person, person.passkey)).status).toBe(200);
      },
    ],
    [
      "a method that is removed on the account page ends every login of other browsers",
      async (person) => await pressed(person, `/methods/${person.passkey}/remove`, "/remove"),
    ],
  ];

  const everywhere: [title: string, act: (person: Owner) => Promise<void>][] = [
    [
      "a logout of all sessions",
      async ({ accessToken }) => {
        const answer = await call(current(), "POST", "/auth/logout", bearer(accessToken), { allSessions: true });
        expect(answer.status).toBe(200);
      },
    ],
    ["the end of all logins on the account page", async (person) => await pressed(person, "", "/logins/end-all")],
    [
      "a password that is reset",
      async ({ userId }) => {
        const { link } = await resetLinks.linkFor(ctx(), userId, { send: false, dryRun: false }, operator);
        const visitor = new Visitor();
        const page = await visitor.get(link ?? "");
        const done = await visitor.submit(page, new URL(link ?? "").pathname, { password: otherPassword });
        expect(done.status).toBe(200);
      },
    ],
    [
      "an operator's revoke-logins",
      async ({ userId }) => void (await userAdministration.revokeLogins(ctx(), userId, doing, { actor: operator })),
    ],
    [
      "an operator's disable, with an enable after it,",
      // Enabled again: what was signed in before must not come back with that.
      async ({ userId }) => {
        await userAdministration.disable(ctx(), userId, doing, { actor: operator });
        await userAdministration.enable(ctx(), userId, doing, { actor: operator });
      },
    ],
    [
      "the deletion of the account",
      async ({ accessToken }) => {
        expect((await call(current(), "DELETE", "/users/profile", bearer(accessToken))).status).toBe(200);
      },
    ],
  ];

  async function expectEnded({ tokens, visitor, code, submitKeptProof }: Held): Promise<void> {
    expect(await isLive(current(), app, tokens)).toBe(false);
    expect((await refresh(current(), app, tokens.refreshToken)).status).toBe(401);
    expect((await call(current(), "DELETE", "/users/profile", bearer(tokens.accessToken))).status).toBe(401);
    expect((await openAccount(current(), app, visitor)).location.pathname).toMatch(/^\/sign-in\//u);
    await expect(redeem(current(), app, code)).rejects.toThrow("400");
    expect(await submitKeptProof()).toBe(0);
  }

  async function toldOf(userId: string) {
    const { db, tables } = current().server.app.ctx.storage.reader;
    const { kind, sessionId } = tables.webhookDeliveries;
    const told = await db
      .select({ kind, sessionId })
      .from(tables.webhookDeliveries)
      .where(eq(tables.webhookDeliveries.userId, userId));
    return {
      kinds: told.map((event) => event.kind).toSorted(),
      logouts: told.filter((event) => event.kind === "user.logout").map((event) => event.sessionId ?? ""),
    };
  }

  it.each(byOwner)("%s, tells the app of each, and keeps this browser signed in", async (title, act) => {
    const person = await owner();
    const otherBrowser = await elsewhere(person);
    await act(person);
    await expectEnded(otherBrowser);
    expect(await isLive(current(), app, person)).toBe(true);
    expect((await refresh(current(), app, person.refreshToken)).status).toBe(200);
    expect((await openAccount(current(), app, person.visitor)).status).toBe(200);
    const { kinds, logouts } = await toldOf(person.userId);
    expect(logouts).toEqual([await loginOf(otherBrowser.tokens)]);
    expect(kinds).toEqual(title.includes("password") ? ["user.logout", "user.updated"] : ["user.logout"]);
  });

  it.each(everywhere)("S11: %s ends every login of the user, and tells the app of each", async (title, act) => {
    const person = await owner();
    const otherBrowser = await elsewhere(person);
    const logins = [await loginOf(person), await loginOf(otherBrowser.tokens)];
    await act(person);
    await expectEnded(otherBrowser);
    expect(await isLive(current(), app, person)).toBe(false);
    expect((await openAccount(current(), app, person.visitor)).location.pathname).toMatch(/^\/sign-in\//u);
    const { kinds, logouts } = await toldOf(person.userId);
    expect(logouts.toSorted()).toEqual(logins.toSorted());
    const more = title.includes("reset") ? ["user.updated"] : title.includes("deletion") ? ["user.deleted"] : [];
    expect(kinds).toEqual([...more, "user.logout", "user.logout"].toSorted());
  });

  it("a method that the app removes leaves this browser no proof that may rest on it", async () => {
    const person = await owner();
    expect((await removeMethod(current(), person, person.passkey)).status).toBe(200);
    const asked = await openAccount(current(), app, person.visitor, "/delete");
    expect(asked.location.pathname).toMatch(/^\/sign-in\//u);
  });
});
