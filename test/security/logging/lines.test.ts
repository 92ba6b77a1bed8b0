import { randomBytes } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import { createRequestLog } from "../../../src/http/request-log.ts";
import type { Answered } from "../../../src/http/router.ts";
import { createLog } from "../../../src/lib/log.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { answer, authsvc } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";
import { prove } from "../../support/adding.ts";
import { askFeed } from "../../support/feed.ts";
import { bearer } from "../../support/methods.ts";
import { basic, codeFor, newParty, post } from "../../support/openid-tokens.ts";
import { call, initiate, redeem, refresh, signUp, Visitor } from "../../support/person.ts";
import { describeSqliteFirst, describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";
import { webhookSecret } from "../../support/webhooks.ts";

const logged: string[] = [];
const capture = { write: (line: string) => void logged.push(line) };
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

afterEach(() => {
  logged.length = 0;
});

/** The whole life of an OpenID Connect login, with calls that put each secret in a wrong place. */
async function secretsOfClient(service: TestService, app: TestApp): Promise<Record<string, string>> {
  const party = await newParty(service, {}, app);
  const form = await codeFor(service, party, { scope: "openid email offline_access" });
  const { body } = await post(service, "/oauth2/token", form, basic(party));
  await post(service, "/oauth2/token", form, basic(party));
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken } = body;
  const secrets = {
    "client secret": party.secret,
    "client's code": form.code,
    "client's access token": String(accessToken),
    "client's refresh token": String(refreshToken),
    "ID token": String(idToken),
  };
  for (const secret of Object.values(secrets)) {
    await post(service, `/oauth2/token?client_secret=${secret}`, { grant_type: secret, client_id: secret });
    await post(service, "/oauth2/introspect", { token: secret }, basic(party));
    await post(service, "/oauth2/revoke", { token: secret }, basic({ ...party, secret }));
    await call(service, "GET", `/oauth2/userinfo?access_token=${secret}`, bearer(secret));
  }
  return secrets;
}

describeSqliteFirst(
  "what is written down",
  { surroundings: { log: createLog({ level: "debug", format: "json" }, capture) } },
  (service) => {
    it("G1: holds no secret of any flow, at the most talkative level, in the database, the audit log or what commands print", async () => {
      const place = placeOf(service);
      const rare = (name: string): string => `${name}-${randomBytes(12).toString("hex")}`;
      const secrets: Record<string, string> = {};
      const keep = (name: string, value: string): string => (secrets[name] = value);
      const app = await service.createApp({ id: "app_canaries" });
      keep("API key", app.apiKey);
      const person = { email: `${rare("person")}@example.org`, password: keep("password", rare("a password")) };

      const signedUp = await signUp(service, app, person);
      keep("code", signedUp.code);
      keep("session", signedUp.session.sessionId);
      let tokens = await redeem(service, app, signedUp);
      for (const generation of [1, 2]) {
        keep(`access token ${generation}`, tokens.accessToken);
        keep(`refresh token ${generation}`, tokens.refreshToken);
        tokens = { ...tokens, ...(await refresh(service, app, tokens.refreshToken)).body };
      }
      for (const [name, secret] of Object.entries(await secretsOfClient(service, app))) keep(name, secret);
      // Each refused with a secret in its hands: wrong app, wrong place, used twice, too old.
      await call(service, "POST", "/auth/callback", app.headers, {
        code: signedUp.code,
        sessionId: signedUp.session.sessionId,
      });
      await call(service, "GET", `/auth/verify-token?app_id=${app.id}&token=${tokens.accessToken}`, {});
      await call(service, "GET", `/api/user?app_id=app_nobody&token=${tokens.accessToken}`, {});
      await call(service, "GET", `/nowhere/${secrets["session"]}?token=${tokens.accessToken}`, {});
      await call(service, "POST", "/auth/refresh", app.headers, `{"refreshToken": "${tokens.refreshToken}"`);
      await call(service, "GET", "/users/profile", bearer(keep("wrong key", `ak_${rare("key")}`)));
      const wrong = keep("wrong password", rare("not the password"));
      await prove(new Visitor(), await initiate(service, app), person.email, wrong);
      const visitor = new Visitor();
      await prove(visitor, await initiate(service, app), person.email, person.password);
      // One cookie names the way that was used last, which is no secret.
      for (const [name, value] of visitor.cookies) if (value !== "password") keep(`cookie ${name}`, value);
      const reset = await answer(["user", "reset-link", String(tokens.user["id"]), "--yes"], place);
      const link = (reset as { link: string }).link;
      keep("reset link", link.split("/").at(-1) ?? "");
      await new Visitor().get(link);

      const webhook = { url: "https://hooks.example.com/in", events: ["user.login"] };
      keep("webhook secret", webhookSecret);
      const created = await call(service, "POST", "/webhooks/endpoints", app.headers, {
        ...webhook,
        secret: webhookSecret,
      });
      expect(created.status).toBe(201);
      const badSecret = keep("bad webhook secret", `whsec_!${rare("secret")}`);
      await call(service, "POST", "/webhooks/endpoints", app.headers, { ...webhook, secret: badSecret });
      const providerSecret = keep("provider secret", rare("secret"));
      await providers.set(
        service.server.app.ctx,
        app.id,
        { name: "google", clientId: "client", secret: providerSecret },
        { kind: "cli", name: "test" },
      );

      const printed: string[] = [];
      for (const args of [
        ["app", "show", app.id],
        ["app", "provider", "list", app.id],
        ["webhook", "list"],
        ["user", "show", String(tokens.user["id"])],
        ["user", "logins", String(tokens.user["id"])],
        ["audit", "list"],
        ["config", "show"],
        ["token", "inspect", tokens.accessToken],
        // A secret where none belongs is not quoted back.
        ["user", "show", secrets["refresh token 1"] ?? ""],
        ["app", "update", app.id, "--passwordd", secrets["password"] ?? ""],
      ]) {
        const { stdout, stderr } = await authsvc(args, place);
        printed.push(args.includes(tokens.accessToken) ? stderr : stdout, stderr);
      }

      const { ctx } = service.server.app;
      const places = {
        log: logged.join(""),
        "the database": await service.databaseText(),
        "the audit log": JSON.stringify(await audit.list(ctx, { limit: 10_000 })),
        "what commands print": printed.join("\n"),
      };
      // They are the right places, with all of it.
      for (const [name, text] of Object.entries(places)) expect(text, name).toContain(app.id);
      expect(places.log.match(/"answered"/gu)?.length ?? 0).toBeGreaterThan(20);
      expect(Object.keys(secrets).length).toBeGreaterThan(14);
      for (const [title, secret] of Object.entries(secrets)) {
        expect(secret.length, title).toBeGreaterThanOrEqual(16);
        for (const [name, text] of Object.entries(places))
          expect(text.includes(secret), `${title} stands in ${name}`).toBe(false);
      }
    });

    it("G4: answers an error by the contract's object alone, and its request id is in the log with route, status and code", async () => {
      const app = await service.createApp();
      const { accessToken } = await redeem(service, app, await signUp(service, app));
      logged.length = 0;
      const refusals = [
        await call(service, "POST", "/auth/initiate", app.headers, "{"),
        await call(service, "POST", "/auth/initiate", app.headers, { redirectUri: "https://evil.example" }),
        await call(service, "GET", "/users/profile", bearer("forged")),
        await call(service, "GET", "/nowhere", {}),
        await call(service, "DELETE", "/auth/validate", {}),
        await call(service, "DELETE", "/users/auth-methods/mth_nobodys", bearer(accessToken)),
      ];
      const lines = linesOf(logged.join(""));
      for (const { status, headers, body } of refusals) {
        expect(status).toBeGreaterThanOrEqual(400);
        expect(Object.keys(body)).toEqual(["error"]);
        expect(Object.keys(body.error ?? {})).toEqual(["code", "message", "details", "requestId"]);
        const { requestId, ...words } = body.error ?? { requestId: "" };
        expect(requestId).toBe(headers.get("x-request-id"));
        expect(JSON.stringify(words)).not.toMatch(
          /at \/|\.ts:|select |insert |node_modules|sqlite|postgres|\d+\.\d+\.\d+/iu,
        );
        for (const name of ["server", "x-powered-by", "via"]) expect(headers.get(name)).toBeNull();
        expect(lines.filter((line) => line["requestId"] === requestId && line["status"] === status)).toMatchObject([
          { msg: "answered", level: "info" },
        ]);
      }
      const routes = lines.map((line) => line["route"]);
      expect(routes).toContain("/users/auth-methods/:methodId");
      expect(routes).toContain(undefined);
    });
  },
);

describe("a line of the log", () => {
  const hostile = 'line\r\n{"level":"error","msg":"forged"}\u001b[2J\u009b31m\u2028\u202eeman\u0000\u007f';

  it("G3: is one line whatever a field holds, and forges no other", () => {
    const text: string[] = [];
    const log = createLog({ level: "debug", format: "json" }, { write: (line) => void text.push(line) });
    log.info("answered", { route: hostile });
    log.error("request failed", new Error(hostile, { cause: hostile }), { reason: hostile });
    expect(text).toHaveLength(2);
    expect(linesOf(text.join("")).map(({ msg }) => msg)).toEqual(["answered", "request failed"]);
  });

  it("G3: for a person holds nothing that a terminal obeys, also in the message of an error and its trace", () => {
    const text: string[] = [];
    const log = createLog({ level: "debug", format: "text" }, { write: (line) => void text.push(line) });
    log.info("answered", { route: hostile });
    log.error("request failed", new Error(hostile, { cause: new Error(hostile) }), { reason: hostile });
    const all = text.join("");
    // oxlint-disable-next-line no-control-regex
    expect(all).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/u);
    const calls = all.split("\n").filter((line) => line.startsWith("    at "));
    expect(calls.length).toBeGreaterThan(1);
    // Two lines, the calls, and the end of the last.
    expect(all.split("\n")).toHaveLength(calls.length + 3);
    expect(all.split("\n").filter((line) => line.startsWith("{"))).toEqual([]);
  });
});

describeOnSqlite(
  "a request",
  { surroundings: { log: createLog({ level: "debug", format: "json" }, capture) } },
  (service) => {
    it("G3: leaves nothing of its address, its headers or what was typed in the log", async () => {
      const app = await service.createApp();
      const canary = "canary-4711";
      const visitor = new Visitor({ "user-agent": `${canary}\t{"level":"error"}` });
      const state = `${canary}\r\n\u001b[2J"><script>`;
      const session = await initiate(service, app, { state });
      await prove(visitor, session, `${canary}"@example.org`, `${canary} is the password`);
      await call(service, "GET", `/${canary}%0d%0aforged?x=${canary}%1b`, {});
      await call(service, "GET", `/users/auth-methods/${canary}`, bearer(canary));
      const text = logged.join("");
      expect(linesOf(text).length).toBeGreaterThan(4);
      expect(text).not.toContain(canary);
      expect(text).not.toContain(session.sessionId);
      expect(linesOf(text).every(({ level }) => level !== "error")).toBe(true);
    });
  },
);

describeOnSqlite(
  "a long poll of the revocation feed",
  { surroundings: { log: createLog({ level: "info", format: "json" }, capture) } },
  (service) => {
    it("G4: is no slow request, however long it waits", async () => {
      const app = await service.createApp();
      const { cursor } = await askFeed(service, app);
      logged.length = 0;
      expect(await askFeed(service, app, { after: cursor, wait: 2 })).toMatchObject({ revoked: [] });
      expect(linesOf(logged.join("")).filter(({ msg }) => msg === "answered")).toEqual([]);
    });
  },
);

describe("the lines about requests", () => {
  const answered = (status: number, milliseconds = 1, waited = 0): Answered =>
    ({
      request: { logFields: { requestId: "req_1" }, method: "GET", waited },
      route: undefined,
      status,
      error: undefined,
      milliseconds,
      caller: undefined,
    }) as unknown as Answered;

  function logOf(requests: "none" | "errors" | "all", level: "debug" | "info" = "info") {
    const text: string[] = [];
    const clock = { now: 5000 };
    const log = createLog({ level, format: "json" }, { write: (line) => void text.push(line) });
    const note = createRequestLog(log, { requests, clock: () => clock.now });
    return { note, clock, lines: () => linesOf(text.join("")) };
  }

  it.each([
    ["none", []],
    ["errors", [404, 500, 200]],
    ["all", [200, 404, 500, 200]],
  ] as const)("G4: are, with log.requests %s, those of the answers %j", (requests, expected) => {
    const { note, lines } = logOf(requests);
    for (const [status, milliseconds] of [
      [200, 1],
      [404, 1],
      [500, 1],
      [200, 1000],
    ] as const)
      note(answered(status, milliseconds));
    expect(lines().map(({ status }) => status)).toEqual(expected);
  });

  it("G4: count nothing as slow that was waited by design, and say how long the answer took", () => {
    const { note, lines } = logOf("errors");
    note(answered(200, 25_000, 24_500));
    note(answered(200, 25_000, 24_000));
    expect(lines()).toMatchObject([{ status: 200, milliseconds: 25_000 }]);
  });

  it("G4: are all there at level debug", () => {
    const { note, lines } = logOf("none", "debug");
    note(answered(200));
    expect(lines()).toMatchObject([{ level: "debug", status: 200, requestId: "req_1" }]);
  });

  it("G3: are at most a hundred errors a second, and say how many more there were", () => {
    const { note, clock, lines } = logOf("errors");
    for (let turn = 0; turn < 250; turn += 1) note(answered(401));
    expect(lines()).toHaveLength(100);
    clock.now += 1000;
    note(answered(401));
    expect(lines().slice(100)).toMatchObject([{ msg: "request log lines dropped", count: 150 }, { status: 401 }]);
  });
});
