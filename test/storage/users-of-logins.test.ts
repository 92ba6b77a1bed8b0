import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countLoginsAtOdds } from "../../src/sessions/login-list-store.ts";
import { endLogin, insertLogin } from "../../src/sessions/login-store.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { insertUser, updateUser, verifyEmail } from "../../src/users/store.ts";
import { describeEachDatabase, startTestService } from "../support/service.ts";
import { insertKnownKey, liveUser, loginOf, userOf } from "./rows.ts";

const now = 1_000_000;

describeEachDatabase("what a login says of its user", (current) => {
  let storage: Storage;
  let appId: string;
  let users = 0;

  beforeAll(async () => {
    ({ storage } = current().server.app.ctx);
    appId = (await current().createApp()).id;
    await insertKnownKey(storage);
  });

  /** A user with a login that lives, both with one id. */
  async function signedIn(differing: { disabledAt?: number; email?: null } = {}): Promise<string> {
    users += 1;
    const id = `usr_told_${users}`;
    await storage.write(async (tx) => {
      await insertUser(tx, { ...userOf(appId, id), ...differing });
      await insertLogin(tx, { ...loginOf(appId, id, now + 1), userId: id });
    });
    return id;
  }
  const said = async (id: string) => await liveUser(storage, id, now);

  it("is what the user is when it begins", async () => {
    const id = await signedIn();
    expect(await said(id)).toStrictEqual({
      id,
      email: `${id}@example.com`,
      emailVerified: false,
      name: "Ann",
      claimsVersion: 0,
      secondFactor: null,
    });
    const bare = await signedIn({ email: null });
    expect(await said(bare)).toMatchObject({ id: bare, email: null });
  });

  it("is what the transaction that starts it says of the user it holds", async () => {
    const id = await signedIn();
    const lockedUser = { ...userOf(appId, id), emailVerified: true, name: "Bea" };
    await storage.write((tx) => insertLogin(tx, { ...loginOf(appId, `${id}_held`, now + 1), userId: id }, lockedUser));
    expect(await said(`${id}_held`)).toStrictEqual({
      id,
      email: `${id}@example.com`,
      emailVerified: true,
      name: "Bea",
      claimsVersion: 0,
      secondFactor: null,
    });
    await storage.write((tx) => updateUser(tx, id, { name: "Cid", updatedAt: 1 }));
    expect(await said(`${id}_held`)).toMatchObject({ emailVerified: false, name: "Cid" });
  });

  it("follows each change of the user, in the transaction of the change", async () => {
    const id = await signedIn();
    await storage.write((tx) => updateUser(tx, id, { name: "Bea", updatedAt: 1 }));
    expect(await said(id)).toMatchObject({ name: "Bea", emailVerified: false });
    await storage.write((tx) => verifyEmail(tx, { id, email: `${id}@example.com`, updatedAt: 2 }));
    expect(await said(id)).toMatchObject({ name: "Bea", emailVerified: true });
    const undone = storage.write(async (tx) => {
      await updateUser(tx, id, { name: "Eve", updatedAt: 4 });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    expect(await said(id)).toMatchObject({ name: "Bea" });
    expect(await countLoginsAtOdds(storage.reader)).toBe(0);
  });

  it("lets nobody in while the user is disabled, whichever of the two came first", async () => {
    const id = await signedIn();
    await storage.write((tx) => updateUser(tx, id, { disabledAt: now, updatedAt: now }));
    expect(await said(id)).toBeUndefined();
    await storage.write((tx) => updateUser(tx, id, { disabledAt: null, updatedAt: now }));
    expect(await said(id)).toMatchObject({ id });
    expect(await said(await signedIn({ disabledAt: 1 }))).toBeUndefined();
  });

  it("is nothing once the login has ended, and another user's is left alone", async () => {
    const [id, other] = [await signedIn(), await signedIn()];
    const { db, tables } = storage.reader;
    await storage.write((tx) => endLogin(tx, id, "logout", now));
    await storage.write((tx) => updateUser(tx, id, { name: "Bea", updatedAt: 1 }));
    const { userEmail, userEmailVerified, userName, userDisabledAt } = tables.logins;
    const rows = await db
      .select({ id: tables.logins.id, said: { userEmail, userEmailVerified, userName, userDisabledAt } })
      .from(tables.logins);
    const saidBy = new Map(rows.map((row) => [row.id, row.said]));
    expect(saidBy.get(id)).toEqual({ userEmail: null, userEmailVerified: null, userName: null, userDisabledAt: null });
    expect(saidBy.get(other)).toMatchObject({ userEmail: `${other}@example.com`, userName: "Ann" });
  });
});

describe("what a login says of its user, while both are written to (postgres)", () => {
  let running: Awaited<ReturnType<typeof startTestService>>;
  let storage: Storage;
  let appId: string;

  beforeAll(async () => {
    running = await startTestService("postgres");
    ({ storage } = running.service.server.app.ctx);
    appId = (await running.service.createApp()).id;
    await insertKnownKey(storage);
  });
  afterAll(async () => {
    await running.stop();
  });

  /**
   * Runs two transactions: the first does its work, waits until the second is held up by it, and
   * commits.
   */
  async function crossed(
    first: () => Promise<unknown>,
    second: () => Promise<unknown>,
    open: PromiseWithResolvers<void>,
  ) {
    const one = first();
    await open.promise;
    await Promise.all([one, second()]);
  }

  it.each(["the user", "the login"])("agrees when %s is written first", async (which) => {
    const id = `usr_crossed_${which.replace(" ", "_")}`;
    await storage.write((tx) => insertUser(tx, userOf(appId, id)));
    const written = Promise.withResolvers<void>();
    /**
     * Long enough for the other transaction to have reached what it waits for; it would be over by
     * then if it did not wait.
     */
    const keepOpen = async () => {
      written.resolve();
      await setTimeout(200);
    };
    const rename = (last: () => Promise<void>) => () =>
      storage.write(async (tx) => {
        await updateUser(tx, id, { name: "Bea", updatedAt: 1 });
        await last();
      });
    const begin = (last: () => Promise<void>) => () =>
      storage.write(async (tx) => {
        await insertLogin(tx, { ...loginOf(appId, id, now + 1), userId: id });
        await last();
      });
    const atOnce = async () => {};
    if (which === "the user") await crossed(rename(keepOpen), begin(atOnce), written);
    else await crossed(begin(keepOpen), rename(atOnce), written);
    expect(await liveUser(storage, id, now)).toMatchObject({ name: "Bea" });
    expect(await countLoginsAtOdds(storage.reader)).toBe(0);
  });
});
