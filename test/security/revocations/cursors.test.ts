import { beforeAll, expect, it } from "vitest";
import type { Keyring } from "../../../src/secrets/keyring.ts";
import { askFeed } from "../../support/feed.ts";
import { keyringOf, keyringOfService } from "../../support/keyring.ts";
import { call, newEmail, redeem, signIn, signUp, type Tokens } from "../../support/person.ts";
import { describeEachDatabase, type TestApp } from "../../support/service.ts";

const hour = 3_600_000;

describeEachDatabase("cursors of the revocation feed", (service) => {
  let app: TestApp;
  let other: TestApp;
  const person = { email: newEmail() };
  beforeAll(async () => {
    [app, other] = [await service.createApp(), await service.createApp()];
    await redeem(service, app, await signUp(service, app, person));
  });
  const newLogin = async (): Promise<Tokens> => await redeem(service, app, await signIn(service, app, person));
  const logout = async ({ accessToken }: Tokens) =>
    await call(service, "POST", "/auth/logout", { authorization: `Bearer ${accessToken}` });
  const ask = async (query: string, headers = app.headers) =>
    await call(service, "GET", `/auth/revocations${query}`, headers);

  it("V2: shows an application no entry of another one, whatever cursor it sends", async () => {
    const { cursor } = await askFeed(service, app);
    const own = await askFeed(service, other);
    await logout(await newLogin());
    for (const after of [cursor, own.cursor]) expect((await askFeed(service, other, { after })).revoked).toEqual([]);
    const foreign = await ask(`?after=${cursor}`, { ...other.headers, "x-service-app-id": app.id });
    expect([foreign.status, foreign.body.error?.code]).toEqual([401, "INVALID_APP_ID"]);
    const user = await ask("", { authorization: `Bearer ${(await newLogin()).accessToken}` });
    expect([user.status, user.body.error?.code]).toEqual([401, "INVALID_API_KEY"]);
  });

  let keyring: Keyring;
  beforeAll(async () => {
    keyring = await keyringOfService(service);
  });
  const plain = (cursor: string) => keyring.openCursor(cursor, "revocations") ?? "";
  const coded = (text: string) => keyring.sealCursor(text, "revocations");

  it("V3: a cursor shows nothing of the database: no number of a transaction or an entry", async () => {
    const { cursor } = await askFeed(service, app);
    expect(plain(cursor)).toMatch(/\|\d+\|/u);
    const bytes = Buffer.from(cursor, "base64url");
    const numbers = plain(cursor).match(/\d{4,}/gu) ?? [];
    for (const number of numbers) expect(`${cursor} ${bytes.toString("latin1")}`).not.toContain(number);
    await logout(await newLogin());
    const later = Buffer.from((await askFeed(service, app)).cursor, "base64url");
    // Nothing is in the same place: neither the database nor the high digits of the numbers.
    const same = later.filter((byte, at) => byte === bytes[at]).length;
    expect(same).toBeLessThan(10);
  });

  it("V3: refuses every forged cursor, and every parameter that is not as described", async () => {
    const { cursor } = await askFeed(service, app);
    const [origin = "", at = "", position = ""] = plain(cursor).split("|");
    const bad = [
      "",
      "x",
      "%00",
      "e30",
      `${cursor}=`,
      `${cursor}!`,
      cursor.slice(0, 20),
      "A".repeat(13_000),
      coded(`${origin}|${at}`),
      coded(`${origin}|${at}|`),
      coded(`${origin}|-1|${position}`),
      coded(`${origin}|${at}|1'; DROP TABLE users`),
      coded(`${origin}|${at}|${position}|${position}`),
      coded(`${origin}|${at}|${position}|${position}|x`),
      coded(`${origin}|${at}|::`),
      coded(`${origin}|${at}|,`),
      coded(`${origin}|${at}|5:4:`),
      coded(`${origin}|${at}|0:4:`),
      coded(`${origin}|${at}|3:9:9`),
      coded(`${origin}|${at}|3:9:5,4`),
      coded(`${origin}|${at}|3:${"9".repeat(19)}:`),
      coded(`${origin}|${at}|${"9".repeat(40)}`),
      coded(`${origin}|${at}|${position}|5:4:|1`),
    ];
    for (const after of bad) {
      const { status, body } = await ask(`?after=${after}`);
      expect([after, status, body.error?.code]).toEqual([after, 400, "INVALID_REQUEST"]);
    }
    for (const query of [
      "wait=26",
      "wait=-1",
      "wait=1.5",
      "wait=",
      "wait=x",
      "wait=1e1",
      "wait=0&wait=0",
      "after=a&after=b",
      "after[]=a",
    ]) {
      const { status, body } = await ask(`?${query.includes("after") ? "" : `after=${cursor}&`}${query}`);
      expect([query, status, body.error?.code]).toEqual([query, 400, "INVALID_REQUEST"]);
    }
    expect((await ask(`?after=${cursor}&wait=0`)).status).toBe(200);
  });

  it("V3: answers 410 for a cursor that is too old, ahead, or of another database", async () => {
    const { cursor } = await askFeed(service, app);
    const [origin = "", at = "", position = ""] = plain(cursor).split("|");
    const ahead = position.includes(":") ? "900000000:900000000:" : "900000000";
    const foreign = position.includes(":") ? "12" : "5:9:7";
    const unsealed = Buffer.from(`${origin}|${at}|${position}`).toString("base64url");
    const gone = [
      unsealed,
      cursor.slice(4),
      `${cursor}AAAA`,
      (cursor.startsWith("A") ? "B" : "A") + cursor.slice(1),
      keyringOf(1).sealCursor(plain(cursor), "revocations"),
      keyring.sealCursor(plain(cursor), "users"),
      coded(`${"A".repeat(22)}|${at}|${position}`),
      coded(`${"A".repeat(22)}|${at}|${foreign}`),
      coded(`${origin}|${at}|${ahead}`),
      coded(`${origin}|${Number(at) - 24 * hour - 1000}|${position}`),
      coded(`${origin}|${Number(at) + hour}|${position}`),
    ];
    for (const after of gone) {
      const { status, body } = await ask(`?after=${after}&wait=25`);
      expect([after, status, body.error]).toEqual([
        after,
        410,
        expect.objectContaining({ code: "INVALID_REQUEST", details: expect.stringMatching(/^after: it is /u) }),
      ]);
    }
  });
});
