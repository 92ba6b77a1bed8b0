import { beforeAll, expect, it } from "vitest";
import type { Route } from "../../../src/http/route.ts";
import { routes } from "../../../src/routes.ts";
import { authsvc } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";
import { isLongRun, sampled } from "../../support/long-run.ts";
import { bearer } from "../../support/methods.ts";
import {
  call,
  goodPassword,
  initiate,
  redeem,
  signedUp,
  signIn,
  validate,
  Visitor,
  type Tokens,
} from "../../support/person.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { accessOf, addressOf, operations } from "../../support/routes.ts";
import { useApp, describeSqliteFirst, type TestApp } from "../../support/service.ts";

/**
 * Each would be true, end the statement, wait or read another table if it ever became part of one.
 */
const payloads = [
  "' OR '1'='1",
  "' OR 1=1 --",
  '" OR ""="',
  "x') OR ('1'='1",
  "'; DROP TABLE users; --",
  "'; UPDATE users SET email_verified = true; --",
  "x' UNION SELECT id, key_digest, app_id, 0, 0, 0 FROM api_keys --",
  "x'||(SELECT pg_sleep(60))||'",
  "x' AND randomblob(1000000000) IS NOT NULL --",
  "\\'; SELECT 1; --",
  "%",
  "_",
  "$1",
  "?1",
  ":id",
  "1e0",
  "0x27206f722027",
  "ʼ OR 1=1 --",
];

const shares = isLongRun ? 3 : 6;

/** Words of a database that was asked something else than it should have been. */
const leaks = /syntax error|SQLITE_|no such (?:table|column)|unterminated|relation "/iu;

describeSqliteFirst("SQL in whatever a stranger can choose", (current) => {
  const app = useApp(current);
  let bystander: Tokens & { app: TestApp };
  let tokens: Tokens;
  let before: string;
  beforeAll(async () => {
    tokens = await signedUp(current(), app);
    const theirs = await current().createApp();
    bystander = { ...(await signedUp(current(), theirs)), app: theirs };
    before = await rowsOfBystander();
  });

  /** What nobody here is asked to change; and how many people there are in all, but for some. */
  async function rowsOfBystander(created = 0): Promise<string> {
    const { db, tables } = current().server.app.ctx.storage.reader;
    const { users, apiKeys, logins, passwords, applications } = tables;
    const rows = await Promise.all([users, logins, passwords, applications].map((table) => db.select().from(table)));
    // When a key was used last is written by the sweep, whoever asks.
    const keys = (await db.select().from(apiKeys)).map((row) => ({ ...row, lastUsedAt: null }));
    const theirs = [`"${bystander.app.id}"`, `"${String(bystander.user["id"])}"`];
    const kept = [...rows, keys].map((table: object[]) =>
      table.map((row) => JSON.stringify(row)).filter((row) => theirs.some((id) => row.includes(id))),
    );
    for (const table of kept) expect(table.length).toBeGreaterThan(0);
    return JSON.stringify([kept, (rows[0]?.length ?? 0) - created]);
  }

  async function expectHarmless(route: Route, path: string, headers: Record<string, string>): Promise<void> {
    const answer = await sendUntidied(current(), route.method, path, {
      "content-type": "application/json",
      ...headers,
    });
    expect([route.method, path, answer.status, answer.status < 500]).toEqual([route.method, path, answer.status, true]);
    expect(answer.text).not.toMatch(leaks);
  }

  it("CVE-2026-33503: as a part of the path, of the query, a header or a cookie it is an unknown value, of every route", async () => {
    for (const [turn, route] of routes.entries()) {
      const names = [...route.path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => name);
      const access = accessOf(route);
      const credential = access === undefined ? undefined : /user/iu.test(access) ? tokens.accessToken : app.apiKey;
      // Each route gets its share of them; those with guards alike get the others.
      for (const payload of payloads.filter((_, at) => at % shares === turn % shares)) {
        const encoded = encodeURIComponent(payload).replaceAll("'", "%27");
        const path = addressOf(route, Object.fromEntries(names.map((name) => [name, encoded])));
        const query = ["app_id", "token", "redirect_uri", "state", "code"]
          .map((name) => `${name}=${encoded}`)
          .join("&");
        const said = payload.replaceAll(/[^\x20-\x7E]/gu, "'");
        const cookie = `__Host-sid=${said}; authsvc=${encoded}`;
        await expectHarmless(route, `${path}?${query}`, {
          authorization: `Bearer ${encoded}`,
          "x-service-app-id": said,
          cookie,
        });
        if (credential === undefined) continue;
        await expectHarmless(route, path, { ...bearer(credential), "x-service-app-id": said });
        if (names.length > 0) await expectHarmless(route, path, bearer(credential));
      }
    }
    expect(await rowsOfBystander()).toBe(before);
    expect((await validate(current(), app, tokens.accessToken)).status).toBe(200);
  });

  it("CVE-2026-33503: in a body it is refused, or kept as the text that it is", async () => {
    const own = await current().createApp();
    const person = await signedUp(current(), own);
    before = await rowsOfBystander();
    const typed = sampled(payloads, 3);
    let kept = 0;
    let created = 0;
    for (const operation of operations) {
      if (!operation.body) continue;
      const { example, fields } = operation.body;
      const isLogout = operation.path === "/auth/logout";
      // The example of this one switches passwords off, with which the person has signed in.
      const usual = isLogout || operation.path === "/applications/:appId" ? {} : example;
      const path = addressOf(operation, { appId: own.id });
      for (const field of Object.keys(fields)) {
        for (const payload of typed) {
          // A logout always ends somebody's login: each has its own.
          const { accessToken } = isLogout
            ? await redeem(current(), own, await signIn(current(), own, { email: String(person.user["email"]) }))
            : person;
          const credential = operation.access.startsWith("user") ? accessToken : own.apiKey;
          const headers = { ...bearer(credential), "x-service-app-id": own.id };
          const { status, body } = await call(current(), operation.method, path, headers, {
            ...usual,
            [field]: payload,
          });
          expect([operation.id, field, payload, status, status < 500]).toEqual([
            operation.id,
            field,
            payload,
            status,
            true,
          ]);
          expect(JSON.stringify(body)).not.toMatch(leaks);
          if (operation.id === "createUser" && status === 201) created += 1;
          if (status !== 200 || field !== "name") continue;
          expect(body["name"]).toBe(payload);
          kept += 1;
        }
      }
    }
    // The names of a person and of an application.
    expect(kept).toBe(2 * typed.length);
    expect(await rowsOfBystander(created)).toBe(before);
    before = await rowsOfBystander();
  });

  it("CVE-2026-33503: as an address or a password it lets nobody in", async () => {
    const visitor = new Visitor();
    const { authUrl } = await initiate(current(), app);
    const page = await visitor.get(authUrl);
    for (const payload of payloads) {
      for (const typed of [
        { email: payload, password: goodPassword },
        { email: `x@example.org${payload}`, password: goodPassword },
        { email: String(tokens.user["email"]), password: payload },
      ]) {
        const done = await visitor.submit(page, "/password", typed);
        expect([typed, done.status === 303, done.status < 500]).toEqual([typed, false, true]);
      }
    }
    expect(await rowsOfBystander()).toBe(before);
  });

  it("CVE-2026-33503: as a cursor, an id or a filter of a command it finds nothing and changes nothing", async () => {
    const place = placeOf(current());
    for (const payload of [0, 4, 6, 7].map((at) => payloads[at] ?? "")) {
      for (const args of [
        ["user", "list", "--app", payload],
        ["user", "list", "--app", app.id, "--after", payload],
        ["user", "list", "--app", app.id, "--email", payload],
        ["user", "show", payload],
        ["user", "disable", payload],
        ["user", "delete", payload, "--yes"],
        ["app", "show", payload],
        ["app", "delete", payload, "--yes"],
        ["key", "list", "--app", payload],
        ["key", "revoke", payload],
        ["webhook", "delete", payload, "--yes"],
        ["audit", "list", "--app", payload],
        ["audit", "list", "--user", payload],
        ["token", "revoke", "--login", payload],
      ]) {
        const { code, stdout, stderr } = await authsvc([...args, "--json"], place);
        expect([args, code, [0, 2, 3].includes(code ?? -1)]).toEqual([args, code, true]);
        expect(stdout).not.toContain(String(bystander.user["id"]));
        expect(stderr).not.toMatch(leaks);
      }
    }
    expect(await rowsOfBystander()).toBe(before);
  });
});
