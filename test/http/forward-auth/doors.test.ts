import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import type { ClientChange } from "../../../src/applications/clients/settings.ts";
import { day, hour, minute } from "../../../src/lib/clock.ts";
import * as people from "../../../src/people/administration.ts";
import * as groups from "../../../src/users/groups/service.ts";
import { ask, cookieAt, createProxy, forProxies, personAt, rawRequest } from "../../support/forward-auth.ts";
import { operator } from "../../support/groups.ts";
import { describeEachDatabase, updateApp, useApp } from "../../support/service.ts";

const doors = ["proxy", "nginx"] as const;

describeEachDatabase("a door for reverse proxies", forProxies, (service) => {
  const app = useApp(service);

  test("lets a person in at the host that they are signed in at, and nowhere else", async () => {
    const place = await createProxy(service, app, { hosts: ["one.example.org", "one.example.org:8443"] });
    const other = await createProxy(service, app);
    const { cookie, userId, loginId } = await personAt(service, app, place);
    const value = cookie.split("=")[1] ?? "";
    for (const door of doors) {
      const status = async (host: string, own?: string) =>
        (await ask(service, door, host, own ? { cookie: own } : {})).status;
      expect(await status(place.host)).toBe(401);
      const answer = await ask(service, door, place.host, { cookie });
      expect(answer).toMatchObject({ status: 200, body: "" });
      expect(answer.headers).toMatchObject({
        "x-authsvc-decision": place.host,
        "remote-user": userId,
        "cache-control": "no-store",
      });
      expect(await status(other.host, cookie)).toBe(401);
      expect(await status("one.example.org:8443", `__Host-authsvc-proxy-8443=${value}`)).toBe(401);
    }
    // One login may have a cookie of each host.
    const second = await cookieAt(service, { client: place.client, host: "one.example.org:8443" }, loginId);
    expect((await ask(service, "proxy", "one.example.org:8443", { cookie: second })).status).toBe(200);
    expect((await ask(service, "proxy", "one.example.org", { cookie: second })).status).toBe(401);
  });

  test("notices at the next request what ends access", async () => {
    const { ctx } = service.server.app;
    const place = await createProxy(service, app);
    const { cookie, userId } = await personAt(service, app, place);
    // Settings of clients and applications count within a second; all else at once.
    const change = async (input: ClientChange) => {
      await clients.update(ctx, place.client.id, input, operator);
      service.clock.advance(1000);
    };
    const status = async () => (await ask(service, "proxy", place.host, { cookie })).status;
    await change({ secondFactor: "required" });
    expect(await status()).toBe(403);
    await change({ secondFactor: "off" });
    expect(await status()).toBe(200);
    await groups.create(ctx, app.id, "careful", operator, { secondFactor: "required" });
    await groups.add(ctx, app.id, "careful", [userId], operator);
    expect(await status()).toBe(403);
    await groups.remove(ctx, app.id, "careful", [userId], operator);
    expect(await status()).toBe(200);
    await updateApp(service, app, { settings: { secondFactor: "required" } });
    service.clock.advance(1000);
    expect(await status()).toBe(403);
    await updateApp(service, app, { settings: { secondFactor: "off" } });
    service.clock.advance(1000);
    await change({ enabled: false });
    expect(await status()).toBe(400);
    await change({ enabled: true });
    expect(await status()).toBe(200);
    await people.disable(ctx, userId, { dryRun: false }, operator);
    expect(await status()).toBe(401);
    await clients.remove(ctx, place.client.id, operator);
    service.clock.advance(1000);
    expect(await status()).toBe(400);
  });

  test("ends a login that is not used, and each in the end", async () => {
    const place = await createProxy(service, app, { sessionSeconds: { idle: 3600, absolute: 7200 } });
    const { cookie } = await personAt(service, app, place);
    const asks = async (more: [string, string][], method = "GET") =>
      (await ask(service, "proxy", place.host, { cookie, more, method })).status;
    const lastUse = async (): Promise<number> => {
      const { db, tables } = service.server.app.ctx.storage.reader;
      const { proxyLogins } = tables;
      const [row] = await db.select().from(proxyLogins).where(eq(proxyLogins.clientId, place.client.id));
      return row?.lastUsedAt ?? 0;
    };
    const before = await lastUse();
    service.clock.advance(50 * minute);
    // A page that polls extends nothing; a navigation does.
    expect(await asks([["Sec-Fetch-Mode", "cors"]])).toBe(200);
    expect(await lastUse()).toBe(before);
    expect(await asks([["Sec-Fetch-Mode", "cors"]], "POST")).toBe(200);
    await vi.waitFor(async () => expect(await lastUse()).toBe(service.clock.now));
    service.clock.advance(59 * minute);
    expect(await asks([["Sec-Fetch-Mode", "navigate"]])).toBe(200);
    await vi.waitFor(async () => expect(await lastUse()).toBe(service.clock.now));
    service.clock.advance(12 * minute);
    expect(await asks([])).toBe(401);
    const unused = await personAt(service, app, place);
    service.clock.advance(hour);
    expect((await ask(service, "proxy", place.host, unused)).status).toBe(401);
    service.clock.advance(8 * day);
    await service.server.app.sweep();
    expect(await lastUse()).toBe(0);
  });

  test("gives each host to one client of the service", async () => {
    const { ctx } = service.server.app;
    const place = await createProxy(service, app);
    const elsewhere = await service.createApp();
    for (const hosts of [[place.host.toUpperCase()], ["free.example.com", `${place.host}:443`]])
      await expect(createProxy(service, elsewhere, { hosts })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        rejected: { field: "hosts", rule: `${place.host} belongs to another client of this service` },
      });
    const other = await createProxy(service, elsewhere, { hosts: ["free.example.com"] });
    const racers = await Promise.allSettled(
      Array.from({ length: 4 }, async () => await createProxy(service, app, { hosts: ["raced.example.com"] })),
    );
    expect(racers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    // A host that it gives up is free, and its cookies open nothing any more.
    const { cookie } = await personAt(service, elsewhere, other);
    await clients.update(ctx, other.client.id, { hosts: ["kept.example.com"] }, operator);
    await clients.update(ctx, place.client.id, { hosts: [place.host, other.host] }, operator);
    expect((await ask(service, "proxy", other.host, { cookie })).status).toBe(401);
  });

  test("answers nothing else", async () => {
    const { forwardAuthUrl: url = "" } = service.server;
    const others = [
      "/",
      "/healthz",
      "/auth/validate",
      "/.authsvc",
      "/.authsvc/../forward-auth",
      "/forward-auth/",
      "/%66orward-auth",
      "//forward-auth",
      "/forward-auth?x=1",
      "/Forward-Auth",
      "http://x/forward-auth",
    ];
    for (const path of others) expect((await rawRequest(url, path, [])).status).not.toBe(200);
    expect((await rawRequest(url, "/.authsvc/start", [["Host", "strange.example.com"]])).status).toBe(400);
    for (const path of ["/forward-auth", "/auth-request"]) expect((await fetch(service.url + path)).status).toBe(404);
  });
});
