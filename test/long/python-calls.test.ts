import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import * as operatorTokens from "../../src/sessions/operator-tokens.ts";
import * as signingKeys from "../../src/tokens/signing-keys.ts";
import { root } from "../docs/pages.ts";
import { claimsOf } from "../support/feed.ts";
import { newParty, tokensFor } from "../support/openid-tokens.ts";
import { givePersonalToken } from "../support/personal-tokens.ts";
import { call, signedUp } from "../support/person.ts";
import { startReceiver, until } from "../support/receiver.ts";
import { describeOnSqlite, type TestApp } from "../support/service.ts";
import { createEndpoint, happen, localWebhooks, webhookSecret } from "../support/webhooks.ts";
import { noProgram } from "../support/left-out.ts";

type Answer = { answer?: unknown; error?: string; status?: number };

const noPython = noProgram("python3");

describeOnSqlite("packages/python without a framework", localWebhooks, (service) => {
  let app: TestApp;
  let proxy: Server;
  let isFeedCut: boolean;
  /** Instead of the feed's answer. */
  let feedAnswer: string | undefined;
  /** The places in the feed from which the package read; undefined: from the start. */
  let cursors: (string | undefined)[];
  let isCursorGone: boolean;
  let redirectTo: string | undefined;
  /** Before the answer about a token is sent. */
  let beforeValidated: (() => Promise<void>) | undefined;
  let polledAt: number[];
  let validated: number;
  let python: ChildProcessWithoutNullStreams;
  let ask: (call: string, ...args: unknown[]) => Promise<Answer>;

  // Between the package and the service: counts, and cuts the feed.
  beforeAll(async () => {
    proxy = createServer((request, response) => {
      const path = request.url ?? "";
      if (redirectTo !== undefined) return void response.writeHead(302, { location: redirectTo }).end();
      if (path.startsWith("/auth/revocations") && isFeedCut) return void request.socket.destroy();
      if (path.startsWith("/auth/revocations")) {
        const after = new URL(path, "http://proxy").searchParams.get("after") ?? undefined;
        cursors.push(after);
        if (isCursorGone && after !== undefined) return void response.writeHead(410).end("{}");
      }
      if (path.startsWith("/auth/revocations") && feedAnswer !== undefined) {
        polledAt.push(performance.now());
        return void response.end(feedAnswer);
      }
      if (path === "/auth/validate") validated += 1;
      const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
      const kept = headers.filter(([name]) => !/^(host|connection|content-length)$/u.test(name));
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = chunks.length === 0 ? undefined : Buffer.concat(chunks);
        fetch(service.url + path, { method: request.method, headers: Object.fromEntries(kept), body }).then(
          async (answer) => {
            const text = await answer.text();
            if (path === "/auth/validate") await beforeValidated?.();
            response.writeHead(answer.status).end(text);
          },
          () => request.socket.destroy(),
        );
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => void proxy.close());

  beforeEach(async ({ skip }) => {
    skip(noPython !== undefined, noPython);
    app = await service.createApp();
    isFeedCut = false;
    feedAnswer = undefined;
    cursors = [];
    isCursorGone = false;
    redirectTo = undefined;
    beforeValidated = undefined;
    polledAt = [];
    validated = 0;
    const issuer = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const settings = { redirectUri: app.redirectUri, issuer, appId: app.id, apiKey: app.apiKey, staleness: 5 };
    const env = { ...process.env, PYTHONPATH: join(root, "packages/python"), PYTHONDONTWRITEBYTECODE: "1" };
    python = spawn("python3", [join(import.meta.dirname, "python-driver.py"), JSON.stringify(settings)], { env });
    const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
    ask = async (name, ...args) => {
      // The fields of an object at the end are named arguments, as in Python.
      const last = args.at(-1);
      const named = name !== "_call" && typeof last === "object" && last !== null && !Array.isArray(last) ? last : {};
      const positional = named === last ? args.slice(0, -1) : args;
      python.stdin.write(`${JSON.stringify({ call: name, arguments: positional, named })}\n`);
      return JSON.parse(String((await lines.next()).value)) as Answer;
    };
  });
  afterEach(() => void (noPython === undefined && python.kill()));

  /** Verifies until the answer is remembered: the feed has begun. */
  async function remember(token: string): Promise<void> {
    await until(async () => {
      const before = validated;
      expect(await ask("verify", token)).toMatchObject({ answer: { valid: true } });
      return validated === before;
    }, "the token is verified without a call");
  }

  async function logOut(token: string, body: object = {}): Promise<void> {
    expect((await call(service, "POST", "/auth/logout", { authorization: `Bearer ${token}` }, body)).status).toBe(200);
  }

  const refused = { error: "INVALID_TOKEN", status: 401 };

  it("verifies a token without a call, and refuses it as soon as its login ends", async () => {
    const [ada, bob] = [await signedUp(service, app), await signedUp(service, app)];
    await remember(ada.accessToken);
    await remember(bob.accessToken);
    await logOut(ada.accessToken);
    await until(async () => (await ask("verify", ada.accessToken)).error === "INVALID_TOKEN", "refuses");
    const before = validated;
    expect(await ask("verify", bob.accessToken)).toMatchObject({ answer: { valid: true } });
    expect(validated).toBe(before);
    await logOut(bob.accessToken, { allSessions: true });
    await until(async () => (await ask("verify", bob.accessToken)).error === "INVALID_TOKEN", "refuses");
  });

  it("refuses the token of another client of the application, unless it is allowed", async () => {
    const party = await newParty(service, {}, app);
    const token = (await tokensFor(service, party)).access_token;
    expect(await ask("verify", token)).toEqual(refused);
    expect(await ask("validate", token)).toMatchObject({ answer: { clientId: party.client.id } });
    await ask("allow", [party.client.id]);
    expect(await ask("verify", token)).toMatchObject({ answer: { clientId: party.client.id } });
  });

  it("forgets the tokens of a signing key that was withdrawn", async () => {
    const ada = await signedUp(service, app);
    await remember(ada.accessToken);
    const { kid } = claimsOf(ada.accessToken);
    await signingKeys.revoke(service.server.app.ctx, kid, { actor: { kind: "cli", name: "test" } });
    await until(async () => (await ask("verify", ada.accessToken)).error === "INVALID_TOKEN", "refuses");
  });

  it("lets a visitor start ten sign-ins a minute, whatever its headers claim", async () => {
    const starts = async (count: number, ...visitor: unknown[]) => {
      for (let n = 1; n < count; n += 1) await ask("start", ...visitor);
      return (await ask("start", ...visitor)).answer;
    };
    expect(await starts(10, null, "8.8.8.8", "1.1.1.1")).toBe(null);
    expect(await starts(1, null, "::ffff:8.8.8.8", "1.1.1.2")).toBeGreaterThan(50);
    expect(await starts(1, null, "127.0.0.1", "1.1.1.1, 8.8.8.8:4711")).toBeGreaterThan(50);
    expect(await starts(1, null, "8.8.4.4", "8.8.8.8")).toBe(null);
    expect(await starts(11, null, "2600:0:0:1::1", null)).toBeGreaterThan(50);
    expect(await starts(1, null, "2600::1:2:3:4:5", null)).toBeGreaterThan(50);
    expect(await starts(1, null, "2600:0:0:2::1", null)).toBe(null);
    // A proxy that tells no address: many share its own.
    expect(await starts(30, null, "127.0.0.1", null)).toBe(null);
    expect(await starts(11, 2, "10.0.0.1", "8.8.8.8, 9.9.9.9")).toBeGreaterThan(50);
    expect(await starts(11, 0, "10.0.0.1", null)).toBeGreaterThan(50);
  });

  it.each([
    ["Authsvc('http://localhost', 'app_x', 'ak_x', allowed_clients='cli_a')", "allowed_clients: must be a list"],
    ["_StartLimit(11)", "trusted_proxies: must be a whole number from 0 to 10"],
    ["_StartLimit(-1)", "trusted_proxies: must be a whole number from 0 to 10"],
    ["_StartLimit('1')", "trusted_proxies: must be a whole number from 0 to 10"],
  ])("names the option that is wrong: %s", (expression, message) => {
    const program = `import authsvc; authsvc.${expression}`;
    const cwd = join(root, "packages/python");
    const { stderr } = spawnSync("python3", ["-B", "-c", program], { cwd, encoding: "utf8" });
    expect(stderr).toContain(`ConfigurationError: ${message}`);
  });

  it("never takes a feed that is cut for a valid token", async () => {
    const ada = await signedUp(service, app);
    await remember(ada.accessToken);
    isFeedCut = true;
    proxy.closeAllConnections();
    await logOut(ada.accessToken);
    await until(async () => (await ask("verify", ada.accessToken)).error === "INVALID_TOKEN", "asks again");
    isFeedCut = false;
    const bob = await signedUp(service, app);
    await remember(bob.accessToken);
    expect(await ask("verify", ada.accessToken)).toEqual(refused);
  });

  it("forgets what it was told when its place in the feed is gone, and continues from the start", async () => {
    const [ada, bob] = [await signedUp(service, app), await signedUp(service, app)];
    await remember(ada.accessToken);
    isCursorGone = true;
    proxy.closeAllConnections();
    await logOut(ada.accessToken);
    cursors = [];
    await until(() => cursors.includes(undefined), "the feed is read from the start");
    isCursorGone = false;
    await until(() => cursors.at(-1), "the answer was read");
    expect(await ask("verify", ada.accessToken)).toEqual(refused);
    await remember(bob.accessToken);
  });

  it("remembers no answer that the feed overtook", async () => {
    const [ada, bob] = [await signedUp(service, app), await signedUp(service, app)];
    await remember(bob.accessToken);
    beforeValidated = async () => {
      beforeValidated = undefined;
      const before = cursors.at(-1);
      await logOut(ada.accessToken);
      await until(() => cursors.at(-1) !== before, "the entry was read");
    };
    expect(await ask("verify", ada.accessToken)).toMatchObject({ answer: { valid: true } });
    expect(await ask("verify", ada.accessToken)).toEqual(refused);
  });

  it("asks about every token after an entry of a kind that it does not know", async () => {
    const ada = await signedUp(service, app);
    await remember(ada.accessToken);
    feedAnswer = JSON.stringify({ cursor: "x", revoked: [{ app: app.id }], more: false });
    proxy.closeAllConnections();
    await until(() => polledAt[1], "the entry was read");
    validated = 0;
    for (let time = 1; time <= 3; time += 1) {
      await ask("verify", ada.accessToken);
      expect(validated).toBe(time);
    }
  });

  it("asks about a token that has expired, although it is remembered", async () => {
    const { user, accessToken } = await signedUp(service, app);
    const userId = String(user["id"]);
    // The other one has only seconds: by then Python runs, and reads the feed.
    await remember(accessToken);
    service.clock.advance(Math.max(0, Date.now() - service.clock.now));
    const input = { userId, scopes: undefined, seconds: 4 };
    const by = { kind: "cli", name: "test" } as const;
    const minted = await operatorTokens.mint(service.server.app.ctx, input, { dryRun: false }, by);
    const token = minted.accessToken ?? "";
    await remember(token);
    const before = validated;
    // By the clock of Python; that of the service stands still.
    await until(async () => {
      await ask("verify", token);
      return validated > before;
    }, "asks again");
  });

  it("follows the feed again after answers that are none", async () => {
    const ada = await signedUp(service, app);
    for (const answer of ["<html>", "null", "{}", '{"revoked":[5],"cursor":"x"}']) {
      feedAnswer = answer;
      polledAt = [];
      expect(await ask("verify", ada.accessToken)).toMatchObject({ answer: { valid: true } });
      await until(() => polledAt[0], "the feed is polled");
    }
    feedAnswer = undefined;
    await remember(ada.accessToken);
  });

  it("pauses when the service does not wait", async () => {
    const ada = await signedUp(service, app);
    feedAnswer = JSON.stringify({ cursor: "x", revoked: [], more: false });
    await ask("verify", ada.accessToken);
    await until(() => polledAt[3], "the feed is polled");
    expect(Number(polledAt[3]) - Number(polledAt[2])).toBeGreaterThan(900);
  });

  it.each(["2.9", "0", "float('nan')", "float('inf')"])("refuses a staleness of %s when it starts", (staleness) => {
    const program = `import authsvc; authsvc.Authsvc("http://localhost", "app_x", "ak_x", staleness=${staleness})`;
    const { stderr } = spawnSync("python3", ["-c", program], {
      cwd: join(root, "packages/python"),
      encoding: "utf8",
    });
    expect(stderr).toContain("ConfigurationError: staleness: must be a number of seconds, at least 3");
  });

  it("follows no redirect, which would carry its credentials elsewhere", async () => {
    const elsewhere = await startReceiver();
    redirectTo = elsewhere.url;
    expect(await ask("application")).toMatchObject({ status: 302 });
    expect(elsewhere.received).toEqual([]);
    await elsewhere.stop();
  });

  it("reports a service that does not answer as UNREACHABLE", async () => {
    isFeedCut = true;
    expect(await ask("_call", "GET", "/auth/revocations", {})).toEqual({ error: "UNREACHABLE", status: 0 });
  });

  it("refuses what was never a token, without a call where it cannot be sent", async () => {
    for (const token of ["", "a b", "x\r\ny", "ü"]) expect(await ask("verify", token)).toEqual(refused);
    expect(validated).toBe(0);
    expect(await ask("verify", "a.b.c")).toEqual(refused);
  });

  /** The `Cookie` header of a login with these tokens, and the lines that set it. */
  async function loginOf(tokens: { accessToken: string; refreshToken: string }, expiresIn: number) {
    const { answer } = await ask("web_cookies", { ...tokens, expiresIn }, null);
    const lines = (answer as [string, string][]).map(([, line]) => line);
    return { lines, cookie: lines.map((line) => line.split(";")[0]).join("; ") };
  }

  it("H10: keeps a login of an https application in Secure cookies with the prefix, and knows it by nothing else", async () => {
    const ada = await signedUp(service, app);
    const { lines, cookie } = await loginOf(ada, 900);
    for (const line of lines)
      expect(line).toMatch(
        /^__Host-authsvc-[\w-]{8}-session=[\w-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/u,
      );
    expect(await ask("web_user", cookie)).toMatchObject({ answer: [{ email: ada.email }, []] });
    for (const planted of [`\u00a0${cookie}`, `\u0085${cookie}`, `${cookie}; ${cookie}`, cookie.replace("__Host-", "")])
      expect(await ask("web_user", planted)).toEqual({ answer: [null, []] });
  });

  it("tells caches to keep no response that sets or clears a cookie", async () => {
    const ada = await signedUp(service, app);
    const { cookie } = await loginOf(ada, 0);
    const refreshed = await ask("web_user", cookie);
    const uncached = ["Cache-Control", "private, no-store"];
    const lines = [uncached, ["Set-Cookie", expect.any(String)]];
    expect(refreshed).toMatchObject({ answer: [{ email: ada.email }, lines] });
    const { cookie: ended } = await loginOf({ accessToken: "x", refreshToken: "x" }, 0);
    expect(await ask("web_user", ended)).toEqual({ answer: [null, lines] });
  });

  it("takes a bearer token, which decides alone", async () => {
    const ada = await signedUp(service, app);
    const { cookie } = await loginOf(ada, 900);
    expect(await ask("web_user", null, `bearer ${ada.accessToken}`)).toMatchObject({
      answer: [{ email: ada.email }, []],
    });
    expect(await ask("web_user", cookie, "Bearer x")).toEqual({ answer: [null, []] });
    expect(await ask("web_user", cookie, "Basic YTpi")).toMatchObject({ answer: [{ email: ada.email }, []] });
  });

  it("makes the calls of the HTTP API", async () => {
    const { accessToken, refreshToken, email } = await signedUp(service, app);
    expect(await ask("profile", accessToken)).toMatchObject({ answer: { email } });
    expect(await ask("auth_methods", accessToken)).toMatchObject({ answer: [{ type: "password" }] });
    expect(await ask("application")).toMatchObject({ answer: { id: app.id } });
    expect(await ask("refresh", refreshToken)).toMatchObject({ answer: { expiresIn: 900 } });
    expect(await ask("callback", "wrong", "wrong")).toEqual({ error: "INVALID_REQUEST", status: 400 });
    expect(await ask("logout", accessToken)).toMatchObject({ answer: { success: true } });
    expect(await ask("validate", accessToken)).toEqual(refused);
  });

  it("manages the application's users and groups", async () => {
    const { email, user } = await signedUp(service, app);
    const id = user["id"];
    expect(await ask("users", { email, limit: 1 })).toMatchObject({ answer: { users: [{ id }], nextCursor: null } });
    const created = (await ask("create_user", "b@example.com", { name: "Bo" })).answer as { id: string };
    expect(await ask("update_user", created.id, { name: "Bob" })).toMatchObject({ answer: { name: "Bob" } });
    expect(await ask("user", created.id)).toMatchObject({ answer: { name: "Bob" } });
    const [method] = (await ask("user_auth_methods", id)).answer as { id: string }[];
    // The last one stays.
    expect(await ask("remove_user_auth_method", id, method?.id)).toEqual({ error: "INVALID_REQUEST", status: 400 });
    await givePersonalToken(service, String(id));
    const [token] = (await ask("user_personal_tokens", id)).answer as { id: string }[];
    expect(await ask("end_user_personal_token", id, token?.id)).toMatchObject({ answer: { success: true } });
    const parts = { public: { plan: "pro" } };
    expect(await ask("set_user_metadata", id, parts)).toMatchObject({ answer: parts });
    expect(await ask("logout_user", id)).toMatchObject({ answer: { ended: 1 } });
    expect(await ask("create_group", "a".repeat(300))).toMatchObject({ error: "INVALID_REQUEST" });
    await ask("create_group", "staff");
    await ask("add_to_group", "staff", id);
    expect(await ask("group_members", "staff", { limit: 5 })).toMatchObject({ answer: { members: [{ id }] } });
    await ask("remove_from_group", "staff", id);
    expect(await ask("group_members", "staff")).toMatchObject({ answer: { members: [] } });
    expect(await ask("groups")).toMatchObject({ answer: [{ name: "staff" }] });
    await ask("delete_group", "staff");
    expect(await ask("groups")).toEqual({ answer: [] });
    await ask("delete_user", created.id);
    expect(await ask("user", created.id)).toEqual({ error: "USER_NOT_FOUND", status: 404 });
  });

  // The limit itself: test/sdk/webhook-deliveries.test.ts.
  it.each([-600, 600])(
    "refuses a webhook whose time is %d seconds from this clock, although it is signed",
    async (offset) => {
      const timestamp = String(Math.floor(Date.now() / 1000) + offset);
      const signature = createHmac("sha256", "a secret").update(`evt_1.${timestamp}.{}`).digest("base64");
      const headers = {
        "webhook-id": "evt_1",
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${signature}`,
      };
      expect(await ask("verify_webhook", "a secret", headers, "{}")).toEqual({
        error: expect.stringContaining("more than five minutes"),
      });
    },
  );

  it("accepts a webhook as it was sent, and nothing that was changed", async () => {
    const receiver = await startReceiver();
    try {
      await createEndpoint(service, app, { url: receiver.url });
      await happen(service, app);
      const { headers, text } = await until(() => receiver.received[0], "the webhook arrives");
      expect(await ask("verify_webhook", webhookSecret, headers, text)).toMatchObject({
        answer: { event: expect.any(String) },
      });
      const wrong: [string, object, string][] = [
        [webhookSecret, headers, `${text} `],
        [webhookSecret, { ...headers, "webhook-id": "evt_other" }, text],
        ["another secret", headers, text],
        [webhookSecret, { ...headers, "webhook-timestamp": "1" }, text],
        [webhookSecret, {}, text],
      ];
      for (const [secret, sent, body] of wrong)
        expect(await ask("verify_webhook", secret, sent, body)).toEqual({
          error: expect.stringMatching(/webhook/u),
        });
    } finally {
      await receiver.stop();
    }
  });
});
