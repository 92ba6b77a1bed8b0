/** Which tokens open a protected host, and what of ours reaches the program. */
import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import * as apiKeys from "../../../src/applications/keys.ts";
import * as groups from "../../../src/users/groups/service.ts";
import { isOurs } from "../../../src/forward-auth/credentials.ts";
import { ask, createProxy, forProxies, personAt, rawRequest, type DoorAnswer } from "../../support/forward-auth.ts";
import { exchanged } from "../../support/exchange.ts";
import { operator } from "../../support/groups.ts";
import { newParty, post, basic, tokensFor } from "../../support/openid-tokens.ts";
import { signedUp } from "../../support/person.ts";
import { createResource, newMachine } from "../../support/resources.ts";
import { describeOnSqlite, useApp } from "../../support/service.ts";

const doors = ["proxy", "nginx"] as const;
const sentence = "Use the program as you";

const authorization = (value: string): { more: [string, string][] } => ({ more: [["Authorization", value]] });
const basicOf = (password: string, name = "x") => `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

describeOnSqlite("credentials at a protected host", forProxies, (service) => {
  const app = useApp(service);

  /** A program that people let use `identifier`, and a token of it. */
  async function tokenFor(identifier: string, scope: string, changes: Record<string, unknown> = {}) {
    const scopes = ["forward-auth", "read"].map((name) => ({ name, sentence }));
    const resource = await createResource(service, app, { identifier, scopes });
    const party = await newParty(service, { resources: [resource], ...changes }, app);
    const tokens = await tokensFor(service, party, { resource, scope: `openid ${scope}` });
    return { resource, party, token: tokens.access_token, userId: String(decodeJwt(tokens.access_token)["sub"]) };
  }

  test("Y12: a resource's token opens exactly its host, at or below its path, with the scope alone", async () => {
    const { host } = await createProxy(service, app);
    const other = await createProxy(service, app);
    const onPort = await createProxy(service, app, { hosts: [`${host}:8443`] });
    const { token, userId } = await tokenFor(`https://${host}/files`, "forward-auth");
    for (const door of doors) {
      const status = async (at: string, path: string, value = `Bearer ${token}`) =>
        (await ask(service, door, at, { path, ...authorization(value) })).status;
      const answer = await ask(service, door, host, { path: "/files", ...authorization(`Bearer ${token}`) });
      expect(answer).toMatchObject({ status: 200, headers: { "remote-user": userId } });
      expect(answer.headers["authorization"]).toBeUndefined();
      for (const path of ["/files/", "/files/a,b@c", "/files?x=1"]) expect(await status(host, path)).toBe(200);
      for (const path of ["/", "/filesystem", "/Files", "/files/../x", "/files/%2e%2e/x", "/files/%20", "/files//x"])
        expect(await status(host, path)).toBe(401);
      expect(await status(other.host, "/files")).toBe(401);
      expect(await status(onPort.host, "/files")).toBe(401);
      expect(await status(host, "/files", basicOf(token))).toBe(200);
      for (const value of [basicOf("x", token), token, `Token ${token}`, `DPoP ${token}`, `Bearer ${token}x`])
        expect(await status(host, "/files", value)).toBe(401);
    }
    const whole = await tokenFor(`https://${other.host}`, "forward-auth");
    for (const path of ["/", "/a%20b", "/x?y"])
      expect(
        (await ask(service, "nginx", other.host, { path, ...authorization(`Bearer ${whole.token}`) })).status,
      ).toBe(200);
    const narrow = await tokenFor(`https://${onPort.host}/`, "read");
    expect((await ask(service, "nginx", onPort.host, authorization(`Bearer ${narrow.token}`))).status).toBe(401);
  });

  test("Y12: a token obeys access, a second factor and the end of what it rests on", async () => {
    const { ctx } = service.server.app;
    await groups.create(ctx, app.id, "tokens", operator);
    const { host, client } = await createProxy(service, app, { allowedGroups: ["tokens"] });
    const { token, userId, party } = await tokenFor(`https://${host}/`, "forward-auth");
    const status = async () => (await ask(service, "proxy", host, authorization(`Bearer ${token}`))).status;
    expect(await status()).toBe(401);
    await groups.add(ctx, app.id, "tokens", [userId], operator);
    expect(await status()).toBe(200);
    await clients.update(ctx, client.id, { secondFactor: "required" }, operator);
    expect(await status()).toBe(401);
    await clients.update(ctx, client.id, { secondFactor: "off" }, operator);
    expect(await status()).toBe(200);
    await clients.update(ctx, party.client.id, { enabled: false }, operator);
    expect(await status()).toBe(401);
    await clients.update(ctx, party.client.id, { enabled: true }, operator);
    await groups.remove(ctx, app.id, "tokens", [userId], operator);
    expect(await status()).toBe(401);
  });

  test("Y12: no other token opens a host: of the App ID, of a machine, exchanged, of another application", async () => {
    const { host } = await createProxy(service, app);
    const resource = await createResource(service, app, {
      identifier: `https://${host}`,
      scopes: [{ name: "forward-auth", sentence }],
    });
    const own = await signedUp(service, app);
    const machine = await newMachine(service, { resources: [resource] }, app);
    const ofMachine = await post(
      service,
      "/oauth2/token",
      { grant_type: "client_credentials", resource },
      basic(machine),
    );
    const asking = await tokenFor(`https://orders.${host}/`, "forward-auth");
    const agent = await newMachine(service, { exchangeTo: [resource], audienceOf: [asking.resource] }, app);
    const form = { subject_token: asking.token, resource, scope: "forward-auth" };
    const tokens = [
      own.accessToken,
      own.refreshToken,
      String(ofMachine.body["access_token"]),
      await exchanged(service, agent, form),
    ];
    const elsewhere = await service.createApp();
    tokens.push((await signedUp(service, elsewhere)).accessToken, app.apiKey);
    for (const token of tokens)
      for (const value of [`Bearer ${token}`, basicOf(token)])
        expect((await ask(service, "proxy", host, authorization(value))).status).toBe(401);
  });

  test("Y12: a link with a password in it signs nobody in", async () => {
    const { host } = await createProxy(service, app);
    const { token } = await tokenFor(`https://${host}/`, "forward-auth");
    const status = async (more: [string, string][]) =>
      (await ask(service, "proxy", host, { more: [["Authorization", basicOf(token)], ...more] })).status;
    expect(await status([])).toBe(200);
    expect(
      await status([
        ["Sec-Fetch-Site", "same-origin"],
        ["Sec-Fetch-Mode", "cors"],
      ]),
    ).toBe(200);
    expect(
      await status([
        ["Sec-Fetch-Site", "same-origin"],
        ["Sec-Fetch-Mode", "navigate"],
      ]),
    ).toBe(401);
    for (const [site, mode] of [
      ["cross-site", "navigate"],
      ["same-site", "no-cors"],
      ["none", "navigate"],
    ] as const)
      expect(
        await status([
          ["Sec-Fetch-Site", site],
          ["Sec-Fetch-Mode", mode],
        ]),
      ).toBe(401);
    expect(await status([["Origin", "https://evil.example"]])).toBe(401);
    expect(await status([["Sec-Fetch-Dest", "image"]])).toBe(401);
  });

  test("Y12: somebody who is signed in and not allowed is refused, whatever else is sent", async () => {
    const { ctx } = service.server.app;
    await groups.create(ctx, app.id, "few", operator);
    const place = await createProxy(service, app, { allowedGroups: ["few"] });
    const { token, userId } = await tokenFor(`https://${place.host}/`, "forward-auth");
    await groups.add(ctx, app.id, "few", [userId], operator);
    const { cookie } = await personAt(service, app, place);
    for (const door of doors) {
      expect((await ask(service, door, place.host, authorization(`Bearer ${token}`))).status).toBe(200);
      expect((await ask(service, door, place.host, { cookie, ...authorization(`Bearer ${token}`) })).status).toBe(403);
    }
  });

  test("Y12: what is ours never reaches the program, on no path; what is not passes byte for byte", async () => {
    const place = await createProxy(service, app, { publicPaths: ["/public"] });
    const passing = await createProxy(service, app, { passTokens: true, publicPaths: ["/public"] });
    const { cookie } = await personAt(service, app, place);
    const { accessToken } = await signedUp(service, app);
    const { apiKey: key } = await apiKeys.createKey(service.server.app.ctx, { appId: app.id }, operator.actor);
    const ended = `${accessToken.slice(0, -4)}AAAA`;
    const given = async (value: string, host = place.host, path = "/public", own?: string): Promise<DoorAnswer> =>
      await ask(service, "proxy", host, { path, ...(own ? { cookie: own } : {}), ...authorization(value) });
    for (const ours of [accessToken, ended, key, app.apiKey])
      for (const value of [
        `Bearer ${ours}`,
        `bearer  ${ours}`,
        ours,
        `Token token="${ours}"`,
        basicOf(ours),
        basicOf("x", ours),
        `Digest a=${ours}, b=c`,
        `Bearer v1.${ours}`,
      ]) {
        expect((await given(value)).headers["authorization"]).toBeUndefined();
        const behind = await given(value, place.host, "/x", cookie);
        expect([behind.status, behind.headers["authorization"]]).toEqual([200, undefined]);
        expect((await given(value, passing.host)).headers["authorization"]).toBe(value);
      }
    const foreign = [
      "Bearer abc",
      "Basic eDp5",
      "Negotiate YII=",
      `Bearer ${key.slice(0, -1)}!`,
      "  odd\t value",
      "Bearer eyJh.eyJpc3MiOiJ4In0.x",
      "\u00e4 \u00ff",
    ];
    for (const value of foreign) expect((await given(value)).headers["authorization"]).toBe(value.trim());
  });

  test("Y12: a long Authorization costs nobody anything", () => {
    const issuer = "https://auth.example.com";
    const spent = (text: string): number => {
      const { user } = process.cpuUsage();
      expect(isOurs(text, issuer)).toBe(false);
      return process.cpuUsage().user - user;
    };
    spent("Bearer x");
    // It took 4.2 s; a bound with room, since another's work is counted, too.
    for (const text of ["x", "ey.", "a ", "eyJh.", "="])
      expect(spent(`Bearer ${text.repeat(60_000 / text.length)}`)).toBeLessThan(1_000_000);
  });

  test("Y12: our cookies are taken out where the proxy takes the rest from the answer", async () => {
    const place = await createProxy(service, app);
    const { cookie } = await personAt(service, app, place);
    const family: [string, string][] = [
      ["X-Forwarded-Proto", "https"],
      ["X-Forwarded-Host", place.host],
      ["X-Forwarded-Method", "GET"],
      ["X-Forwarded-Uri", "/"],
    ];
    for (const [sent, passed] of [
      [`a=b; ${cookie}; c=d`, "a=b; c=d"],
      [cookie, undefined],
      [`${cookie}; __Host-authsvc-start=x; __Host-authsvc-proxy-8443=y; __Host-authsvc-start-1=z; ä=ö`, "ä=ö"],
      [
        `evil__Host-authsvc-proxy=1; __Host-authsvc-proxyx=2;${cookie}`,
        "evil__Host-authsvc-proxy=1; __Host-authsvc-proxyx=2",
      ],
    ] as const) {
      const lines: [string, string][] = [...family, ["Cookie", sent]];
      const answer = await rawRequest(service.server.forwardAuthUrl ?? "", "/forward-auth?cookie=1", lines);
      expect([answer.status, answer.headers["cookie"]]).toEqual([200, passed]);
    }
  });
});
