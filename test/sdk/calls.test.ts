import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { AuthsvcError, createAuthsvc, type AuthsvcOptions } from "../../packages/sdk/src/index.ts";
import { useService } from "../support/one-service.ts";
import { givePersonalToken } from "../support/personal-tokens.ts";
import { goodPassword, newEmail, signUp, Visitor } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";

const current = useService();
const clients: { close(): void }[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

function clientOf(app: TestApp, options: AuthsvcOptions = {}) {
  const client = createAuthsvc({ issuer: current().url, appId: app.id, apiKey: app.apiKey, ...options });
  clients.push(client);
  return client;
}

/** `fetch` that does something before each call, and may answer instead of the service. */
function fetchWith(before: (path: string, count: number) => Response | void): {
  fetch: AuthsvcOptions["fetch"];
  calls: string[];
} {
  const calls: string[] = [];
  return {
    calls,
    fetch: async (input, init) => {
      const path = new URL(input).pathname;
      calls.push(path);
      const answer = before(path, calls.filter((each) => each === path).length);
      return answer ?? (await fetch(input, init));
    },
  };
}

const limited = (seconds: number) =>
  Response.json(
    { error: { code: "RATE_LIMITED", message: "Too many requests.", details: "", requestId: "req_1" } },
    { status: 429, headers: { "retry-after": String(seconds), "x-request-id": "req_1" } },
  );

async function signedUp(app: TestApp, options: AuthsvcOptions = {}) {
  const client = clientOf(app, options);
  const { session, code } = await signUp(current(), app, { email: newEmail() }, { state: "s" });
  return { client, tokens: await client.callback({ code, sessionId: session.sessionId, state: "s" }) };
}

describe("the calls of the client", () => {
  test("walk a sign-in from its start to its end", async () => {
    const app = await current().createApp();
    const client = clientOf(app);
    const email = newEmail();
    const { authUrl, sessionId } = await client.initiate({ redirectUri: app.redirectUri, state: "s" });
    const visitor = new Visitor();
    const page = await visitor.get(`${authUrl}/create-account`);
    const done = await visitor.submit(page, "/create-account", { email, password: goodPassword });
    const code = done.location.searchParams.get("code") ?? "";
    const { accessToken, refreshToken, user } = await client.callback({ code, sessionId, state: "s" });
    expect(user).toMatchObject({ email, name: null });
    expect(await client.validate(accessToken)).toMatchObject({ valid: true, user: { id: user.id } });
    expect(await client.profile.update(accessToken, { name: "Ada" })).toMatchObject({ name: "Ada" });
    expect(await client.profile.get(accessToken)).toMatchObject({ id: user.id, name: "Ada" });
    expect(await client.methods.list(accessToken)).toMatchObject([{ type: "password" }]);
    const [method] = await client.methods.list(accessToken);
    await expect(client.methods.remove(accessToken, method?.id ?? "")).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
    const adding = { type: "passkey" as const, redirectUri: app.redirectUri };
    expect(await client.methods.add(accessToken, adding)).toMatchObject({ sessionId: expect.any(String) });
    const fresh = await client.refresh(refreshToken);
    expect(await client.logout(fresh.accessToken)).toMatchObject({ success: true });
    await expect(client.validate(fresh.accessToken)).rejects.toMatchObject({ code: "INVALID_TOKEN", status: 401 });
  });

  test("read and change the application and its webhooks", async () => {
    const client = clientOf(await current().createApp());
    expect(await client.application.update({ name: "Shop" })).toMatchObject({ name: "Shop" });
    expect(await client.application.get()).toMatchObject({ id: client.appId, name: "Shop" });
    const url = "https://hooks.example.com/auth";
    const endpoint = await client.webhooks.create({ url, events: ["user.login"], secret: "a secret of the test" });
    expect(await client.webhooks.update(endpoint.id, { enabled: false })).toMatchObject({ enabled: false });
    expect(await client.webhooks.list()).toMatchObject([{ id: endpoint.id, url }]);
    expect(await client.webhooks.get(endpoint.id)).toMatchObject({ id: endpoint.id });
    await client.webhooks.delete(endpoint.id);
    expect(await client.webhooks.list()).toEqual([]);
  });

  test("create, find and read the application's users", async () => {
    const client = clientOf(await current().createApp());
    const email = newEmail();
    const { id } = await client.users.create({ email, name: "Ada" });
    expect((await client.users.list({ email, limit: 1 })).users).toMatchObject([{ id, name: "Ada" }]);
    expect(await client.users.get(id)).toMatchObject({ id, email });
    await expect(client.users.get("usr_unknown")).rejects.toMatchObject({ code: "USER_NOT_FOUND", status: 404 });
  });

  test("change a user, and end logins, methods and the account", async () => {
    const { client, tokens } = await signedUp(await current().createApp());
    const { id } = tokens.user;
    expect(await client.users.update(id, { name: "Grace" })).toMatchObject({ id, name: "Grace" });
    const parts = { public: { plan: "pro" }, private: { note: 1 } };
    expect(await client.users.setMetadata(id, parts)).toEqual(parts);
    const [method] = await client.users.authMethods(id);
    expect(method).toMatchObject({ type: "password" });
    await expect(client.users.removeAuthMethod(id, "..")).rejects.toMatchObject({ status: 404 });
    // The last one stays.
    const removing = client.users.removeAuthMethod(id, method?.id ?? "");
    await expect(removing).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await givePersonalToken(current(), id);
    const list = "GET /applications/{appId}/users/{userId}/personal-tokens";
    const [token] = (await client.call(list, { path: { userId: id } })).tokens;
    const path = { userId: id, tokenId: token?.id ?? "" };
    await client.call("DELETE /applications/{appId}/users/{userId}/personal-tokens/{tokenId}", { path });
    expect(await client.call(list, { path: { userId: id } })).toEqual({ tokens: [] });
    expect(await client.users.logout(id)).toEqual({ ended: 1 });
    await expect(client.validate(tokens.accessToken)).rejects.toMatchObject({ code: "INVALID_TOKEN" });
    // `map` passes more than the id.
    expect(await Promise.all([id].map(client.users.delete))).toMatchObject([{ success: true }]);
    await expect(client.users.get(id)).rejects.toMatchObject({ code: "USER_NOT_FOUND" });
  });

  test("create, fill, read, empty and delete groups", async () => {
    const { client, tokens } = await signedUp(await current().createApp());
    const { id } = tokens.user;
    expect(await client.groups.create("staff")).toMatchObject({ name: "staff" });
    await client.groups.create("admins");
    expect((await client.groups.list()).map(({ name }) => name)).toEqual(["admins", "staff"]);
    await client.groups.add("staff", id);
    expect(await client.groups.members("staff", { limit: 1 })).toMatchObject({ members: [{ id }], nextCursor: null });
    expect((await client.users.list({ group: "staff" })).users).toMatchObject([{ id }]);
    await client.groups.remove("staff", id);
    expect((await client.groups.members("staff")).members).toEqual([]);
    await client.groups.delete("admins");
    expect(await client.groups.list()).toMatchObject([{ name: "staff" }]);
    // A name goes into the path as one part.
    await expect(client.groups.delete("../users/x")).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  test("delete an account", async () => {
    const { client, tokens } = await signedUp(await current().createApp());
    expect(await client.profile.delete(tokens.accessToken)).toMatchObject({ success: true });
    await expect(client.refresh(tokens.refreshToken)).rejects.toMatchObject({ code: "INVALID_TOKEN" });
  });
});

describe("a failure", () => {
  test("is one class, with the service's code, status and request id", async () => {
    const client = clientOf(await current().createApp());
    const error = await client.callback({ code: "c", sessionId: "s" }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AuthsvcError);
    expect(error).toMatchObject({ code: "INVALID_REQUEST", status: 400, requestId: expect.stringMatching(/^req_/u) });
  });

  test("tells how long to wait, when that is longer than a person waits", async () => {
    const { fetch, calls } = fetchWith(() => limited(30));
    const client = clientOf(await current().createApp(), { fetch });
    await expect(client.application.get()).rejects.toMatchObject({ code: "RATE_LIMITED", retryAfter: 30 });
    expect(calls).toHaveLength(1);
  });

  test("by a limit is followed by another try, also of a code", async () => {
    const { fetch } = fetchWith((path, count) => (path === "/auth/callback" && count === 1 ? limited(1) : undefined));
    const { tokens } = await signedUp(await current().createApp(), { fetch });
    expect(tokens.user.id).toMatch(/^usr_/u);
  });

  test("by a cut connection is followed by another try where that is safe", async () => {
    const cut = (path: string, count: number) => {
      if (count === 1 && path !== "/auth/callback") throw new TypeError("fetch failed");
    };
    const { fetch, calls } = fetchWith(cut);
    const { client, tokens } = await signedUp(await current().createApp(), { fetch });
    await client.validate(tokens.accessToken);
    const fresh = await client.refresh(tokens.refreshToken);
    await client.logout(fresh.accessToken);
    expect(calls.filter((path) => path === "/auth/refresh")).toHaveLength(2);
  });

  test("by a cut connection while a code is redeemed is not: a second use would end the login", async () => {
    const { fetch, calls } = fetchWith(() => {
      throw new TypeError("fetch failed");
    });
    const client = clientOf(await current().createApp(), { fetch });
    const redeeming = client.callback({ code: "c", sessionId: "s" });
    await expect(redeeming).rejects.toMatchObject({ code: "UNREACHABLE", statusCode: 503 });
    expect(calls).toEqual(["/auth/callback"]);
  });

  test("by an answer that does not come ends after the time that is allowed", async () => {
    const silent = createServer(() => {});
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const client = clientOf(await current().createApp(), { issuer, timeoutSeconds: 0.05 });
    await expect(client.application.get()).rejects.toMatchObject({
      code: "UNREACHABLE",
      message: `No answer from ${issuer} (AUTHSVC_ISSUER): no answer within 0.05 seconds.`,
    });
    silent.closeAllConnections();
    silent.close();
  });
});

describe("a refresh", () => {
  test("of parallel calls with one token is one call, and so is one that comes late", async () => {
    const { fetch, calls } = fetchWith(() => {});
    let now = Date.now();
    const { client, tokens } = await signedUp(await current().createApp(), { fetch, now: () => now });
    const all = await Promise.all(Array.from({ length: 10 }, async () => await client.refresh(tokens.refreshToken)));
    expect(new Set(all.map(({ accessToken }) => accessToken)).size).toBe(1);
    // Past the thirty seconds in which the service repeats its answer: asking would end the login.
    current().clock.advance(30_000);
    now += 30_000;
    expect(await client.refresh(tokens.refreshToken)).toEqual(all[0]);
    expect(calls.filter((path) => path === "/auth/refresh")).toHaveLength(1);
    expect(await client.validate(all[0]?.accessToken ?? "")).toMatchObject({ valid: true });
  });

  test("in two processes at once returns the same tokens", async () => {
    const app = await current().createApp();
    const { client, tokens } = await signedUp(app);
    const other = clientOf(app);
    const [one, two] = await Promise.all([client.refresh(tokens.refreshToken), other.refresh(tokens.refreshToken)]);
    expect(one.refreshToken).toBe(two.refreshToken);
  });

  test("that fails is tried anew by the next call", async () => {
    const { fetch, calls } = fetchWith((path, count) => {
      if (path === "/auth/refresh" && count <= 3) throw new TypeError("fetch failed");
    });
    const { client, tokens } = await signedUp(await current().createApp(), { fetch });
    await expect(client.refresh(tokens.refreshToken)).rejects.toMatchObject({ code: "UNREACHABLE" });
    expect(await client.refresh(tokens.refreshToken)).toMatchObject({ expiresIn: 900 });
    expect(calls.filter((path) => path === "/auth/refresh")).toHaveLength(4);
  });
});

test("nothing follows a redirect to another address: neither credentials nor what was sent", async () => {
  const received: string[] = [];
  const elsewhere = createServer((request, response) => {
    received.push(request.url ?? "");
    response.setHeader("content-type", "application/json").end("{}");
  });
  await once(elsewhere.listen(0, "127.0.0.1"), "listening");
  const { port } = elsewhere.address() as AddressInfo;
  const redirecting = createServer((request, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${port}${request.url}` }).end();
  });
  await once(redirecting.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
  const client = clientOf(await current().createApp(), { issuer });
  await expect(client.refresh("a refresh token")).rejects.toMatchObject({ code: "UNREACHABLE", status: 307 });
  await expect(client.application.get()).rejects.toMatchObject({ code: "UNREACHABLE", status: 307 });
  expect(received).toEqual([]);
  for (const server of [elsewhere, redirecting]) {
    server.closeAllConnections();
    server.close();
  }
});
