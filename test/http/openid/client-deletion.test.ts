import { eq } from "drizzle-orm";
import { Client } from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import { countDeadlocks, untilWaiting } from "../../support/locks.ts";
import { basic, codeFor, newParty, post, tokensFor, type Party } from "../../support/openid-tokens.ts";
import { authorize } from "../../support/openid.ts";
import { isLive, newEmail, signUp, Visitor } from "../../support/person.ts";
import { useApp, describeEachDatabase } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;

describeEachDatabase("the deletion of a client beside what it does at the same moment", (current, control) => {
  const app = useApp(current);
  let other: Client | undefined;
  beforeAll(async () => {
    if (current().dialect !== "postgres") return;
    other = new Client(current().config.database.url);
    await other.connect();
  });
  afterAll(async () => await other?.end());

  const deletes = async ({ client }: Party): Promise<string> => {
    await clients.remove(current().server.app.ctx, client.id, { actor });
    return "deleted";
  };

  const redeems = async (party: Party, form: Record<string, string>) =>
    await post(current(), "/oauth2/token", form, basic(party));

  async function liveLoginsOf({ client }: Party): Promise<string[]> {
    const { db, tables } = current().server.app.ctx.storage.reader;
    const logins = await db.select().from(tables.logins).where(eq(tables.logins.clientId, client.id));
    return logins.flatMap(({ id, endedAt }) => (endedAt === null ? [id] : []));
  }

  /** Starts both while nobody can lock a user: each gets as far as it can without one. */
  async function atOnce<T, U>(first: () => Promise<T>, second: () => Promise<U>): Promise<[T, U]> {
    await other?.query("BEGIN");
    await other?.query("SELECT 1 FROM users FOR NO KEY UPDATE");
    try {
      const leading = first();
      if (other) await untilWaiting(other, 1);
      const following = second();
      if (other) await Promise.race([untilWaiting(other, 2), following]);
      await other?.query("ROLLBACK");
      return await Promise.all([leading, following]);
    } finally {
      await other?.query("ROLLBACK");
    }
  }

  it("C5: a code that is redeemed during the deletion leaves no login", async () => {
    const party = await newParty(current(), {}, app);
    const form = await codeFor(current(), party);
    const [{ status, body }] = await atOnce(
      () => redeems(party, form),
      () => deletes(party),
    );
    // On SQLite nobody knows who came first.
    if (other) expect(status).toBe(200);
    expect(await isLive(current(), app, { accessToken: String(body["access_token"]) })).toBe(false);
    expect(await liveLoginsOf(party)).toEqual([]);
  });

  it("C5: a code is refused from the first step of the deletion on", async () => {
    const party = await newParty(current(), {}, app);
    const tokens = await tokensFor(current(), party);
    const form = await codeFor(current(), party);
    const [, { status, body }] = await atOnce(
      () => deletes(party),
      () => redeems(party, form),
    );
    if (other) expect([status, body["error"]]).toEqual([401, "invalid_client"]);
    expect(await isLive(current(), app, { accessToken: tokens.access_token })).toBe(false);
    expect(await liveLoginsOf(party)).toEqual([]);
  });

  it("a consent that is posted during the deletion is answered to the client, and afterwards by a page", async () => {
    const party = await newParty(current(), { consent: "ask" }, app);
    const people = [party.email, newEmail()];
    await signUp(current(), app, { email: people[1] ?? "" });
    const waiting = await Promise.all(
      people.map(async (email) => {
        const visitor = new Visitor();
        const asked = await authorize(current(), party.client, { email }, {}, visitor);
        return { visitor, page: await visitor.get(asked.location.href) };
      }),
    );
    const [agrees, agreesLate] = waiting.map(
      ({ visitor, page }) =>
        () =>
          visitor.submit(page, "/step/consent", {}),
    );
    if (!agrees || !agreesLate) throw new Error("two people");
    const [agreed] = await atOnce(agrees, () => deletes(party));
    if (other) expect(agreed.location.searchParams.has("code")).toBe(true);
    expect(agreed.status).toBeLessThan(500);
    expect((await agreesLate()).status).toBe(400);
    expect(await liveLoginsOf(party)).toEqual([]);
  });

  it("no transaction of any of them was ended for a deadlock", async () => {
    if (other) expect(await countDeadlocks(other, control.restart)).toBe(0);
  });
});
