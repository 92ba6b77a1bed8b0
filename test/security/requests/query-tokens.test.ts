import { Writable } from "node:stream";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { createLog } from "../../../src/lib/log.ts";
import { bearer } from "../../support/methods.ts";
import { call, newEmail, signedUp, Visitor } from "../../support/person.ts";
import { appWith, atProvider } from "../../support/providers/round.ts";
import { rawGet, somebody } from "../../support/query-calls.ts";
import { describeSqliteFirst, describeOnSqlite } from "../../support/service.ts";
import { useProviders } from "../../support/providers/provider.ts";

const [github] = await useProviders("github");

const refused = (status: number, code: string) => ({
  status,
  body: { error: { code, requestId: expect.any(String) } },
});

describeOnSqlite("tokens in the query", (current) => {
  it("B2, B5: verify-token answers the same bytes for every bad token, whatever is wrong with it", async () => {
    const { service, app, person } = await somebody(current());
    const otherApp = await service.createApp();
    const other = { ...(await signedUp(service, otherApp)), appId: otherApp.id };
    const out = await signedUp(service, app);
    await call(service, "POST", "/auth/logout", bearer(out.accessToken), {});
    const disabled = await signedUp(service, app);
    const deleted = await signedUp(service, app);
    await service.server.app.storage.write(async ({ db, tables: { users } }) => {
      await db
        .update(users)
        .set({ disabledAt: 1 })
        .where(eq(users.id, String(disabled.user["id"])));
      await db.delete(users).where(eq(users.id, String(deleted.user["id"])));
    });
    const [header, claims, signature = ""] = person.accessToken.split(".");
    const unsigned = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt" })).toString("base64url");
    const bad: Record<string, string> = {
      "of another app": other.accessToken,
      "logged out": out.accessToken,
      "of a disabled user": disabled.accessToken,
      "of a deleted user": deleted.accessToken,
      forged: `${header}.${claims}.${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`,
      "with no algorithm": `${unsigned}.${claims}.`,
      truncated: person.accessToken.slice(0, -1),
      garbage: "garbage",
      empty: "",
      "of dots": ".".repeat(3000),
      long: "x".repeat(6000),
      "a refresh token": person.refreshToken,
      "an API key": app.apiKey,
    };
    const answers = [await rawGet(service, `/auth/verify-token?app_id=${app.id}`)];
    for (const token of Object.values(bad)) {
      answers.push(await rawGet(service, `/auth/verify-token?token=${encodeURIComponent(token)}&app_id=${app.id}`));
      answers.push(await rawGet(service, `/auth/verify-token?app_id=${app.id}`, { authorization: `Bearer ${token}` }));
    }
    answers.push(await rawGet(service, `/auth/verify-token?app_id=${app.id}`, { authorization: "Basic eDp5" }));
    // Its audience is the question: a good token of one app is none of another.
    answers.push(await rawGet(service, `/auth/verify-token?token=${other.accessToken}&app_id=${app.id}`));
    answers.push(await rawGet(service, `/auth/verify-token?token=${person.accessToken}&app_id=${other.appId}`));
    service.clock.advance(900_000);
    answers.push(await rawGet(service, `/auth/verify-token?token=${person.accessToken}&app_id=${app.id}`));
    for (const answer of answers) {
      expect([answer.status, answer.text, answer.headers.get("content-type")]).toEqual([
        200,
        '{"valid":false}',
        "application/json; charset=utf-8",
      ]);
    }
  });

  it("B5: /api/user refuses everything but a live access token", async () => {
    const { service, app, person } = await somebody(current());
    const out = await signedUp(service, app);
    await call(service, "POST", "/auth/logout", bearer(out.accessToken), {});
    const bad = ["garbage", "", person.refreshToken, app.apiKey, out.accessToken, `${person.accessToken}x`];
    for (const token of bad) {
      expect(await call(service, "GET", `/api/user?token=${token}`, {})).toMatchObject(refused(401, "INVALID_TOKEN"));
      expect(await call(service, "GET", "/api/user", bearer(token))).toMatchObject(refused(401, "INVALID_TOKEN"));
    }
    expect(await call(service, "GET", "/api/user", {})).toMatchObject(refused(401, "INVALID_TOKEN"));
  });

  it("B4: authorize ends with a one-time code for the API key, and no address on the way holds a token", async () => {
    const service = current();
    const app = await appWith(service, [github]);
    const visitor = new Visitor();
    const query = new URLSearchParams({ app_id: app.id, redirect_uri: app.redirectUri, state: "s" });
    const start = await visitor.get(`${service.url}/oauth/github/authorize?${query.toString()}`);
    expect([start.status, start.location.origin]).toEqual([303, github.origin]);
    const back = await atProvider(start.location, github, { subject: "1", email: newEmail(), verified: true });
    const done = await visitor.get(back.url);
    expect(done.status).toBe(303);
    expect([...done.location.searchParams.keys()].toSorted()).toEqual(["code", "sessionId", "state"]);
    expect(done.location.hash).toBe("");
    const [code, sessionId] = ["code", "sessionId"].map((name) => done.location.searchParams.get(name));
    const body = { code, sessionId, state: "s" };
    // Whoever reads the address, from a history or a log, has no key for it.
    const keyless: Record<string, string>[] = [{}, { "x-service-app-id": app.id }, bearer(String(code))];
    for (const headers of keyless)
      expect((await call(service, "POST", "/auth/callback", headers, body)).status).toBe(401);
    const redeemed = await call(service, "POST", "/auth/callback", app.headers, body);
    expect(redeemed.status).toBe(200);
    expect((await call(service, "POST", "/auth/callback", app.headers, body)).status).toBe(400);
    const { accessToken, refreshToken } = redeemed.body;
    for (const url of [start.url, start.location.href, back.url, done.location.href]) {
      expect(url).not.toMatch(/eyJ|access_?token|refresh_?token|id_token/iu);
      for (const token of [accessToken, refreshToken]) expect(url).not.toContain(token);
    }
    for (const page of [start, done]) expect(page.headers.get("referrer-policy")).toBe("no-referrer");
  });
});

const logged: string[] = [];
const capture = new Writable({
  write(chunk: Buffer, _encoding, done) {
    logged.push(chunk.toString());
    done();
  },
});

describeSqliteFirst(
  "tokens in the query, seen from outside",
  (current) => {
    it("B1: tokens in the query reach no log, error, audit entry, cache or Referer", async () => {
      const { service, app, person } = await somebody(current());
      const canary = "canary0123456789canary";
      const tokens = [person.accessToken, canary, `${person.accessToken}${canary}`, `a.${canary}.c`];
      logged.length = 0;
      for (const token of tokens) {
        const queries = [
          `token=${token}&app_id=${app.id}`,
          `token=${token}`,
          `token=${token}&token=${token}`,
          `token=${token}%00`,
          `token=${token}%`,
          `token[${token}]=x&app_id=${app.id}`,
          `${token}=x&app_id=${app.id}`,
        ];
        for (const path of ["/auth/verify-token", "/api/user", "/api/config", "/auth/validate", "/nowhere"]) {
          for (const query of queries) {
            for (const method of ["GET", "POST", "OPTIONS"]) {
              const answer = await fetch(`${service.url}${path}?${query}`, { method, headers: { origin: "null" } });
              const said = `${await answer.text()}\n${JSON.stringify([...answer.headers])}`;
              expect(said).not.toContain(canary);
              expect(said).not.toContain(person.accessToken);
              expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
              if (answer.headers.get("cache-control") !== "no-store") expect(path).toBe("/api/config");
            }
          }
        }
      }
      expect(await service.databaseText()).not.toContain(canary);
      // What goes wrong in the middle of a call is logged with its cause.
      service.server.app.services.users.get = async () => await Promise.reject(new Error("broken on purpose"));
      expect((await call(service, "GET", `/api/user?token=${person.accessToken}`, {})).status).toBe(500);
      const log = logged.join("");
      expect(log).toContain('"route":"/api/user"');
      expect(log).toContain("broken on purpose");
      expect(log).not.toContain(canary);
      for (const part of person.accessToken.split(".").slice(1)) expect(log).not.toContain(part);
    });
  },
  {},
  { log: createLog({ level: "debug", format: "json" }, capture) },
);
