import { eq } from "drizzle-orm";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as authentication from "../../../src/tokens/authentication.ts";
import { openAccount, press } from "../../support/account.ts";
import { countDeadlocks, untilWaiting } from "../../support/locks.ts";
import { bearer } from "../../support/methods.ts";
import { basic, newParty, post, refreshWith, tokensFor, type Party } from "../../support/openid-tokens.ts";
import { authorizeUrl } from "../../support/openid.ts";
import { call, isLive, newEmail, signUp, Visitor, type Page } from "../../support/person.ts";
import { useApp, describeEachDatabase } from "../../support/service.ts";

const all = { scope: "openid profile email offline_access" };

describeEachDatabase("a logout beside what a client does at the same moment", (current, control) => {
  const app = useApp(current);
  let wiki: Party;
  let chat: Party;
  let notes: Party;
  let other: Client | undefined;
  beforeAll(async () => {
    wiki = await newParty(current(), {}, app);
    chat = await newParty(current(), {}, app);
    notes = await newParty(current(), {}, app);
    if (current().dialect !== "postgres") return;
    other = new Client(current().config.database.url);
    await other.connect();
  });
  afterAll(async () => {
    await other?.end();
  });

  /** Signed in by the wiki, with a code of the chat on its way. */
  async function someone() {
    const email = newEmail();
    await signUp(current(), app, { email });
    const visitor = new Visitor();
    const tokens = await tokensFor(current(), { ...wiki, email }, all, visitor);
    const { location } = await visitor.get(authorizeUrl(current(), chat.client, { ...all, prompt: "none" }));
    const { claims } = await authentication.findBearer(current().server.app.ctx, tokens.access_token, undefined);
    // The same browser, which goes on sending what it had.
    const copy = visitor.copy();
    return { id: claims.sub, visitor, copy, tokens, code: location.searchParams.get("code") ?? "" };
  }

  type Someone = Awaited<ReturnType<typeof someone>>;

  const redeem = async ({ client, ...party }: Party, code: string) => {
    const form = { grant_type: "authorization_code", code, redirect_uri: client.redirectUris[0] ?? "" };
    return await post(current(), "/oauth2/token", form, basic({ client, ...party }));
  };

  /** Asks for a code without a page. */
  const enter = async ({ copy }: Someone, { client }: Party): Promise<Page> =>
    await copy.get(authorizeUrl(current(), client, { ...all, prompt: "none" }));

  /** Starts these in their order while nobody can lock the user, as the first two do. */
  async function atOnce(userId: string, [first, ...rest]: [Act, Act, ...Act[]]): Promise<number[]> {
    await other?.query("BEGIN");
    await other?.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [userId]);
    const leading = first();
    try {
      if (other) await untilWaiting(other, 1);
      const following = rest.map((act) => act());
      if (other) await untilWaiting(other, 2);
      await other?.query("ROLLBACK");
      return await Promise.all([leading, ...following]);
    } finally {
      await other?.query("ROLLBACK");
    }
  }

  /** Answers its status. */
  type Act = () => Promise<number>;
  type Logout = (person: Someone) => Promise<{ ok: number; logout: () => Promise<{ status: number }> }>;
  const logouts: [title: string, prepare: Logout][] = [
    [
      "the account page",
      async ({ visitor }) => {
        const page = await openAccount(current(), app, visitor);
        return { ok: 303, logout: () => press(app, visitor, page, "/sign-out") };
      },
    ],
    [
      "the logout endpoint",
      async ({ visitor, tokens }) => {
        const address = `${current().url}/oauth2/end-session?id_token_hint=${tokens.id_token}`;
        return { ok: 303, logout: () => visitor.get(address) };
      },
    ],
    [
      "/auth/logout",
      async ({ tokens }) => {
        const headers = bearer(tokens.access_token);
        return { ok: 200, logout: () => call(current(), "POST", "/auth/logout", headers, {}) };
      },
    ],
  ];
  const orders = logouts.flatMap(([title, prepare]) =>
    (["before", "after"] as const).map((when) => [title, when, prepare] as const),
  );

  it.each(orders)("F4: %s, %s a redemption, leaves nothing of the browser session alive", async (_, when, prepare) => {
    const person = await someone();
    const { ok, logout } = await prepare(person);
    const given: Record<string, unknown>[] = [person.tokens];
    let entered: string | null = null;
    const logsOut = async () => (await logout()).status;
    const redeems = async () => {
      const { status, body } = await redeem(chat, person.code);
      if (status === 200) given.push(body);
      return status;
    };
    const refreshes = async () => {
      const { status, body } = await refreshWith(current(), wiki, person.tokens.refresh_token);
      if (status === 200) given.push(body);
      return status;
    };
    const enters = async () => {
      const { status, location } = await enter(person, notes);
      entered = location.searchParams.get("code");
      return status;
    };
    const [first, second] = when === "before" ? [logsOut, redeems] : [redeems, logsOut];
    const statuses = await atOnce(person.id, [first, second, refreshes, enters]);
    for (const status of statuses) expect([200, 303, 400]).toContain(status);
    // On SQLite nobody knows who came first.
    if (other) expect(statuses.slice(0, 2)).toEqual(when === "before" ? [ok, 400] : [200, ok]);

    for (const { access_token: accessToken, refresh_token: refreshToken } of given) {
      expect(await isLive(current(), app, { accessToken })).toBe(false);
      for (const party of [wiki, chat])
        expect((await refreshWith(current(), party, String(refreshToken))).status).toBe(400);
    }
    if (entered !== null) expect((await redeem(notes, entered)).status).toBe(400);
    const silent = await enter(person, notes);
    expect(silent.location.searchParams.get("error")).toBe("login_required");
    const { db, tables } = current().server.app.ctx.storage.reader;
    const logins = await db.select().from(tables.logins).where(eq(tables.logins.userId, person.id));
    expect(logins.filter(({ endedAt }) => endedAt === null)).toEqual([]);
  });

  it("no transaction of any of them was ended for a deadlock", async () => {
    if (other) expect(await countDeadlocks(other, control.restart)).toBe(0);
  });
});
