import { networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import { second } from "../../../src/lib/clock.ts";
import { webhookWorker } from "../../../src/records/webhooks/worker.ts";
import { call, goodPassword, initiate, newEmail, refresh, signedUp, validate, Visitor } from "../../support/person.ts";
import { exchange, exchanged, newExchange } from "../../support/exchange.ts";
import { ask, createProxy, forProxies, personAt } from "../../support/forward-auth.ts";
import { operator } from "../../support/groups.ts";
import { basic, post, refreshWith, tokensFor } from "../../support/openid-tokens.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { until, useReceiver } from "../../support/receiver.ts";
import { scrape } from "../../support/scrape.ts";
import { describeEachDatabase, startTestService } from "../../support/service.ts";
import { createEndpoint, happen, localWebhooks } from "../../support/webhooks.ts";

const measured = { metrics: { host: "127.0.0.1", port: 0, hosts: ["authsvc.internal"] } };

describeEachDatabase("GET /metrics", { ...measured, ...localWebhooks, ...forProxies }, (current) => {
  const receiver = useReceiver();

  it("counts sign-ins, refreshes and validates by what became of them", async () => {
    const service = current();
    const app = await service.createApp();
    const before = await scrape(service);
    const tokens = await signedUp(service, app);
    await validate(service, app, tokens.accessToken);
    await validate(service, app, "forged");
    await refresh(service, app, tokens.refreshToken);
    await refresh(service, app, "unknown");
    const visitor = new Visitor();
    const page = await visitor.get((await initiate(service, app)).authUrl);
    await visitor.submit(page, "/password", { email: newEmail(), password: goodPassword });
    const after = await scrape(service);

    const grown = (name: string, labels: Record<string, string>): number =>
      (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    expect({
      signedIn: grown("authsvc_sign_ins_total", { method: "password", result: "success" }),
      notSignedIn: grown("authsvc_sign_ins_total", { method: "password", result: "failure" }),
      validated: grown("authsvc_validates_total", { result: "success" }),
      notValidated: grown("authsvc_validates_total", { result: "refused" }),
      refreshed: grown("authsvc_refreshes_total", { result: "success" }),
      notRefreshed: grown("authsvc_refreshes_total", { result: "refused" }),
      answers: grown("authsvc_http_request_duration_seconds_count", {
        route: "/auth/validate",
        method: "GET",
        status: "4xx",
      }),
    }).toEqual({
      signedIn: 1,
      notSignedIn: 1,
      validated: 1,
      notValidated: 1,
      refreshed: 1,
      notRefreshed: 1,
      answers: 1,
    });
    expect(after.value("authsvc_password_hash_wait_seconds_count")).toBeGreaterThanOrEqual(2);
    expect(after.value("authsvc_database_transaction_seconds_count", { result: "success" })).toBeGreaterThan(4);
  });

  it("counts what clients ask the token endpoint, by a grant of a fixed list and what became of it", async () => {
    const { service, agent, archive, subject, program, tokens } = await newExchange(current());
    const before = await scrape(service);
    await exchanged(service, agent, { subject_token: subject, resource: archive });
    await exchange(service, agent, { subject_token: "x", resource: archive });
    await post(service, "/oauth2/token", { grant_type: "client_credentials", resource: agent.resource }, basic(agent));
    for (const grant_type of ["canary", "urn:canary", "__proto__", ""])
      await post(service, "/oauth2/token", { grant_type }, basic(program));
    await refreshWith(service, program, tokens.refresh_token);
    await tokensFor(service, program, { scope: "openid" });
    const after = await scrape(service);
    const grown = (grant: string, result: string): number =>
      (after.value("authsvc_token_grants_total", { grant, result }) ?? 0) -
      (before.value("authsvc_token_grants_total", { grant, result }) ?? 0);
    expect({
      codes: grown("authorization_code", "success"),
      refreshes: grown("refresh_token", "success"),
      machines: grown("client_credentials", "success"),
      exchanges: [grown("token-exchange", "success"), grown("token-exchange", "refused")],
      others: grown("other", "refused"),
    }).toEqual({ codes: 1, refreshes: 1, machines: 1, exchanges: [1, 1], others: 4 });
    expect(after.text).not.toContain("canary");
  });

  it("counts the checks of reverse proxies by what they were answered, and names no host", async () => {
    const service = current();
    const app = await service.createApp();
    const place = await createProxy(service, app, { publicPaths: ["/public"] });
    const { client, host } = place;
    const { cookie } = await personAt(service, app, place);
    const before = await scrape(service);
    for (const door of ["nginx", "proxy"] as const) {
      await ask(service, door, host, { cookie });
      await ask(service, door, host, { path: "/public/x" });
      await ask(service, door, host);
      await ask(service, door, host, { more: [["Remote-User", "admin"]] });
      await ask(service, door, "canary.example.com");
      await ask(service, door, "canary_x");
    }
    await clients.update(service.server.app.ctx, client.id, { secondFactor: "required" }, operator);
    service.clock.advance(second);
    await ask(service, "nginx", host, { cookie });
    const headers = [{ name: "X-Staff", from: "private.canary" }];
    await clients.update(service.server.app.ctx, client.id, { secondFactor: "off", headers }, operator);
    service.clock.advance(second);
    await ask(service, "nginx", host, { cookie });
    await clients.update(service.server.app.ctx, client.id, { access: "groups" }, operator);
    service.clock.advance(second);
    await ask(service, "nginx", host, { cookie });
    const after = await scrape(service);
    const results = ["allowed", "public", "sign-in", "forged", "unknown-host", "malformed"];
    const grown = [...results, "second-factor", "identity", "groups"].map((result) => {
      const valueIn = (scraped: typeof after) => scraped.value("authsvc_forward_auth_checks_total", { result }) ?? 0;
      return [result, valueIn(after) - valueIn(before)];
    });
    expect(Object.fromEntries(grown)).toEqual({
      ...Object.fromEntries(results.map((result) => [result, 2])),
      "second-factor": 1,
      identity: 1,
      groups: 1,
    });
    for (const name of [host, "canary"]) expect(after.text).not.toContain(name);
  });

  it("names no gauge like a counter, which Prometheus' own checks refuse", async () => {
    const { text } = await scrape(current());
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gmu)].map(([, name = "", type = ""]) => [name, type]);
    expect(types.length).toBeGreaterThan(30);
    for (const [name = "", type] of types) expect([name, type === "counter"]).toEqual([name, name.endsWith("_total")]);
  });

  it("says how the process, the hash queue and the database are", async () => {
    const service = current();
    const seen = await scrape(service);
    expect(seen.value("authsvc_database_up")).toBe(1);
    expect(seen.value("authsvc_password_hashes_waiting")).toBe(0);
    expect(seen.value("authsvc_database_waiting")).toBe(0);
    const build = seen.samples.find(({ name }) => name === "authsvc_build_info")?.metrics[0];
    expect(build).toMatchObject({ value: "1", labels: { database: service.dialect, node: process.version } });
    expect(seen.value("nodejs_eventloop_lag_p99_seconds")).toBeGreaterThanOrEqual(0);
    expect(seen.value("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
    const connections = seen.value("authsvc_database_connections", { state: "idle" });
    if (service.dialect === "postgres") expect(connections).toBeGreaterThan(0);
    else expect(connections).toBeUndefined();
    // Where the service has no certificate of its own, 0 would look like one that has expired.
    expect(seen.value("authsvc_certificate_expiry_timestamp_seconds")).toBeUndefined();
  });

  it("shows webhooks that cannot be delivered, and for how long they have been due", async () => {
    const service = current();
    const app = await service.createApp();
    await createEndpoint(service, app, { url: receiver.url });
    receiver.always(500);
    await happen(service, app);
    await happen(service, app);
    const failed = { result: "failed" };
    await until(async () => ((await scrape(service)).value("authsvc_webhook_attempt_seconds_count", failed) ?? 0) >= 2);
    // Both wait for their next attempt, seconds from now by a clock that stands still.
    await until(async () => (await scrape(service)).value("authsvc_webhook_overdue_seconds") === 0);
    expect((await scrape(service)).value("authsvc_webhook_backlog")).toBe(2);

    await webhookWorker(service.server.app.ctx).stop();
    service.clock.advance(60_000);
    // The first retry is due after 5 s, give or take a fifth.
    const overdue = (await scrape(service)).value("authsvc_webhook_overdue_seconds") ?? 0;
    expect(overdue).toBeGreaterThanOrEqual(54);
    expect(overdue).toBeLessThanOrEqual(56);

    receiver.always(204);
    webhookWorker(service.server.app.ctx).start();
    await until(async () => (await scrape(service)).value("authsvc_webhook_backlog") === 0);
    const delivered = { result: "delivered" };
    expect((await scrape(service)).value("authsvc_webhook_attempt_seconds_count", delivered)).toBe(2);
  });

  it("names no person, application, token, address or path that somebody chose", async () => {
    const service = current();
    const app = await service.createApp({ name: "Canary" });
    const tokens = await signedUp(service, app);
    const session = await initiate(service, app);
    await fetch(session.authUrl);
    await fetch(`${service.url}/no/such/canary?token=canary`);
    await fetch(`${service.url}/no/such/canary`, { method: "PROPFIND" });
    await call(service, "GET", "/auth/validate", { "user-agent": "canary", "x-service-app-id": "canary" });
    const { text } = await scrape(service);
    const chosen = [app.id, tokens.email, tokens.accessToken, session.sessionId, "127.0.0.1", "Canary", "PROPFIND"];
    for (const value of [...chosen, "canary"]) expect(text).not.toContain(value);
    expect(text).toContain('route="/sign-in/:sessionId"');
  });

  it("answers nothing else, and is not on the port that everybody can reach", async () => {
    const service = current();
    const origin = new URL(service.server.metricsUrl ?? "").origin;
    const answers = await Promise.all([
      fetch(`${origin}/metrics?name=up`),
      fetch(`${origin}/`),
      fetch(`${origin}/healthz`),
      fetch(`${origin}/metrics`, { method: "POST", body: "x" }),
      fetch(`${service.url}/metrics`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 404, 405, 404]);
    expect(answers[0].headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/u);
    expect(answers[3].headers.get("allow")).toBe("GET");
  });
});

describe("metrics and what goes wrong", () => {
  it("are told only under the names of this machine and the configured ones", async () => {
    const running = await startTestService("sqlite", measured);
    const url = new URL(running.service.server.metricsUrl ?? "").origin;
    const ask = async (host: string) => await sendUntidied({ url }, "GET", "/metrics", { host });
    const known = [
      "localhost",
      "LOCALHOST:80",
      "127.0.0.1:9464",
      "[::1]:9464",
      "authsvc.internal",
      "AuthSvc.Internal:1",
    ];
    for (const host of known) expect([host, (await ask(host)).status]).toEqual([host, 200]);
    const others = ["evil.example", "localhost.evil.example", "authsvc.internal.evil.example", "192.0.2.1:9464", ""];
    // No host that a URL can have.
    expect((await ask("%")).status).toBe(400);
    for (const host of others) {
      const { status, text } = await ask(host);
      expect([host, status]).toEqual([host, 421]);
      expect(text).toBe("Host: not a name of this service; add it to metrics.hosts\n");
    }
    await running.stop();
  });

  it("on every address of the machine are told under the address that was connected to", async () => {
    const running = await startTestService("sqlite", { metrics: { host: "0.0.0.0", port: 0, hosts: [] } });
    const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    const address = own.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
    const { port } = new URL(running.service.server.metricsUrl ?? "");
    expect((await fetch(`http://${address}:${port}/metrics`)).status).toBe(200);
    const other = await sendUntidied({ url: `http://127.0.0.1:${port}` }, "GET", "/metrics", { host: "192.0.2.1" });
    expect(other.status).toBe(421);
    await running.stop();
  });

  it("count limits by which of them was met", async () => {
    const rateLimits = { authentication: 1000, userManagement: 1000, applicationManagement: 2, webhooks: 1000 };
    const running = await startTestService("sqlite", { ...measured, rateLimits });
    const { service } = running;
    const app = await service.createApp();
    for (let calls = 0; calls < 3; calls += 1) await fetch(`${service.url}/api/config?app_id=${app.id}`);
    const seen = await scrape(service);
    expect(seen.value("authsvc_rate_limited_total", { limit: "applicationManagement" })).toBe(1);
    await running.stop();
  });

  it("can be read while the database is gone, and say so", async () => {
    const running = await startTestService("sqlite", measured);
    const { service } = running;
    await service.server.app.ctx.storage.close();
    const seen = await scrape(service);
    expect(seen.value("authsvc_database_up")).toBe(0);
    await running.stop();
  });

  it("count checks of proxies that are not trusted, and checks that fail", async () => {
    const running = await startTestService("sqlite", { ...measured, ...forProxies });
    await running.service.server.app.ctx.storage.close();
    await ask(running.service, "nginx", "program.example.com");
    const failed = { result: "error" };
    expect((await scrape(running.service)).value("authsvc_forward_auth_checks_total", failed)).toBe(1);
    await running.stop();
    const strict = await startTestService("sqlite", { ...measured, ...forProxies, trustedProxies: [] });
    await ask(strict.service, "proxy", "program.example.com");
    const untrusted = { result: "untrusted-proxy" };
    expect((await scrape(strict.service)).value("authsvc_forward_auth_checks_total", untrusted)).toBe(1);
    await strict.stop();
  });

  it("are off unless asked for", async () => {
    const running = await startTestService("sqlite");
    expect(running.service.server.metricsUrl).toBeUndefined();
    await running.stop();
  });
});
