/** What went wrong in other programs that answer reverse proxies, by the name of each advisory. */
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import * as groups from "../../../src/users/groups/service.ts";
import * as groupDeletion from "../../../src/users/groups/deletion.ts";
import * as people from "../../../src/people/administration.ts";
import { ask, createProxy, forProxies, personAt, rawRequest } from "../../support/forward-auth.ts";
import { operator } from "../../support/groups.ts";
import { describeOnSqlite, serviceOfTest, useApp } from "../../support/service.ts";

const doors = ["proxy", "nginx"] as const;

describeOnSqlite("advisories about reverse proxies that ask", forProxies, (service) => {
  const app = useApp(service);

  test("Y8: CVE-2025-54576: a public path in a query or behind a segment opens nothing", async () => {
    const { host } = await createProxy(service, app, { publicPaths: ["/public"] });
    for (const door of doors) {
      const statuses = async (paths: string[]) =>
        await Promise.all(paths.map(async (path) => (await ask(service, door, host, { path })).status));
      const open = ["/public", "/public/", "/public/x", "/public?y=/admin", "/public/x,y@z"];
      expect(await statuses(open)).toEqual(open.map(() => 200));
      const closed = [
        "/admin?x=/public",
        "/admin?/public/",
        "/x/public",
        "/publicity",
        "/Public",
        "/public/../admin",
        "/public/./x",
        "/public//x",
        "//public",
        "/public%2f..%2fadmin",
        "/%70ublic",
        "/public;x",
        "/public\\x",
        "/public/x;/../../admin",
        "/public/\u00e4",
      ];
      expect(await statuses(closed)).toEqual(closed.map(() => 401));
    }
  });

  test("Y10: CVE-2025-64484: a header of the answer, or an alias of one, closes the door", async () => {
    const place = await createProxy(service, app);
    const { cookie } = await personAt(service, app, place);
    const names = [
      "Remote-User",
      "remote_user",
      "Remote.User",
      "REMOTE-GROUPS",
      "Remote~Name",
      "Remote-Groups-Omitted",
    ];
    for (const door of doors)
      for (const name of [...names, "X-Authsvc-Decision", "X-Authsvc-Assertion", "x_authsvc_other"]) {
        const more: [string, string][] = [[name, "usr_admin"]];
        expect((await ask(service, door, place.host, { cookie, more })).status).toBe(403);
        expect((await ask(service, door, place.host, { more })).status).toBe(403);
      }
  });

  test("Y7: CVE-2026-40575: a header of the other family, or one that comes twice, is not believed", async () => {
    const { host } = await createProxy(service, app, { publicPaths: ["/public"] });
    const other: [string, string][] = [["X-Original-Url", `https://${host}/public`]];
    expect((await ask(service, "proxy", host, { path: "/admin", more: other })).status).toBe(401);
    for (const more of [
      [["X-Forwarded-Uri", "/public"]],
      [["X-Forwarded_Uri", "/public"]],
      [["x.forwarded.uri", "/public"]],
    ] as [string, string][][]) {
      expect((await ask(service, "nginx", host, { path: "/admin", more })).status).toBe(401);
      expect((await ask(service, "proxy", host, { path: "/admin", more })).status).toBe(400);
    }
    expect((await ask(service, "nginx", host, { path: "/admin", more: other })).status).toBe(403);
  });

  test("Y8: CVE-2026-41059: a fragment closes the door", async () => {
    const { host } = await createProxy(service, app, { publicPaths: ["/public"] });
    for (const path of ["/admin#/public", "/public#", "/public#/../admin", "/public/x#y"]) {
      expect((await ask(service, "proxy", host, { path })).status).toBe(400);
      expect((await ask(service, "nginx", host, { path })).status).toBe(403);
    }
  });

  test("Y6: CVE-2026-34457: no user agent, method or health check opens", async () => {
    const { host } = await createProxy(service, app);
    for (const door of doors) {
      for (const agent of ["GoogleHC/1.0", "kube-probe/1.29", "ELB-HealthChecker/2.0"])
        expect((await ask(service, door, host, { more: [["User-Agent", agent]] })).status).toBe(401);
      for (const method of ["OPTIONS", "HEAD", "TRACE", "PROPFIND", "QUERY", "X"])
        expect((await ask(service, door, host, { method })).status).toBe(401);
      for (const path of ["/ping", "/healthz", "/readyz", "/robots.txt", "/favicon.ico"])
        expect((await ask(service, door, host, { path })).status).toBe(401);
    }
  });

  test("Y11: CVE-2026-40574: an address that nobody proved identifies nobody", async () => {
    const headers = [{ name: "X-User", from: "email" }];
    const place = await createProxy(service, app, { headers });
    const { cookie } = await personAt(service, app, place);
    for (const door of doors) {
      const { status, body, headers: answered } = await ask(service, door, place.host, { cookie });
      expect([status, answered["x-user"]]).toEqual([403, undefined]);
      expect(body).toContain("a proved email address");
    }
    const other = await createProxy(service, app, { headers: [{ name: "X-Id", from: "id" }, ...headers] });
    const { cookie: otherCookie, userId } = await personAt(service, app, other);
    const answer = await ask(service, "proxy", other.host, { cookie: otherCookie });
    expect(answer).toMatchObject({ status: 200, headers: { "x-id": userId } });
    expect(answer.headers["x-user"]).toBeUndefined();
  });

  test("Y9: CVE-2026-34454: a cookie that the browser kept opens nothing once its login has ended", async () => {
    const place = await createProxy(service, app);
    const { cookie, userId } = await personAt(service, app, place);
    expect((await ask(service, "proxy", place.host, { cookie })).status).toBe(200);
    await people.revokeLogins(service.server.app.ctx, userId, { dryRun: false }, operator);
    for (const door of doors) expect((await ask(service, door, place.host, { cookie })).status).toBe(401);
  });

  test("Y9: CVE-2021-21411: only members of an allowed group get in, and a deleted group lets nobody in", async () => {
    const { ctx } = service.server.app;
    await groups.create(ctx, app.id, "staff", operator);
    await groups.create(ctx, app.id, "gone", operator);
    const place = await createProxy(service, app, { allowedGroups: ["gone", "staff"] });
    const { cookie, userId } = await personAt(service, app, place);
    const status = async () => (await ask(service, "proxy", place.host, { cookie })).status;
    expect(await status()).toBe(403);
    await groups.add(ctx, app.id, "staff", [userId], operator);
    expect(await status()).toBe(200);
    await groups.remove(ctx, app.id, "staff", [userId], operator);
    expect(await status()).toBe(403);
    // A group that a client allows cannot be deleted; a database from elsewhere may lack one.
    await expect(groupDeletion.remove(ctx, app.id, "gone", operator)).rejects.toMatchObject({ code: "CONFLICT" });
    await ctx.storage.write(async (tx) => {
      const { clients } = tx.tables;
      await tx.db
        .update(clients)
        .set({ allowedGroups: ["deleted"] })
        .where(eq(clients.id, place.client.id));
    });
    expect(await status()).toBe(403);
  });

  test("Y14: CVE-2026-48794: letter case, a port or a dot at the end makes no other host", async () => {
    const strict = await createProxy(service, app, { hosts: ["a.b.example.com"] });
    await createProxy(service, app, { hosts: ["b.example.com"], publicPaths: ["/x"] });
    const { cookie } = await personAt(service, app, strict);
    for (const host of ["A.b.example.com", "a.B.example.com", "a.b.example.com:443"]) {
      expect((await ask(service, "proxy", host, { path: "/x" })).status).toBe(401);
      expect((await ask(service, "nginx", host, { path: "/x", cookie })).status).toBe(200);
    }
    for (const host of [
      "a.b.example.com.",
      "a.b.example.com:8443",
      "x@a.b.example.com",
      "a.b.example.com,b.example.com",
      "",
    ])
      for (const door of doors)
        expect((await ask(service, door, host, { path: "/x", cookie })).status).toBe(door === "nginx" ? 403 : 400);
  });

  test("Y9: CVE-2026-25748: a malformed cookie, or one that comes twice, is none", async () => {
    const place = await createProxy(service, app);
    const { cookie } = await personAt(service, app, place);
    const [name = ""] = cookie.split("=");
    for (const wrong of [
      `${name}=`,
      name,
      `${name}="`,
      `${name}=${"a".repeat(43)}`,
      `${cookie}x`,
      `evil${cookie}`,
      cookie.toUpperCase(),
      `${cookie}; ${cookie}`,
      `x=y,${cookie}`,
    ])
      for (const door of doors) expect((await ask(service, door, place.host, { cookie: wrong })).status).toBe(401);
    expect((await ask(service, "proxy", place.host, { cookie: `a=b; evil${cookie}; ${cookie}` })).status).toBe(200);
  });
});

test("Y7: CVE-2023-36456, CVE-2026-25119: only a proxy in trustedProxies may ask", async () => {
  const service = await serviceOfTest("sqlite", { ...forProxies, trustedProxies: ["10.0.0.1"] });
  const app = await service.createApp();
  const place = await createProxy(service, app, { publicPaths: ["/public"] });
  const { cookie } = await personAt(service, app, place);
  const spoofed: [string, string][] = [["X-Forwarded-For", "10.0.0.1"]];
  for (const door of doors)
    for (const path of ["/", "/public"])
      expect((await ask(service, door, place.host, { path, cookie, more: spoofed })).status).toBe(403);
  expect(
    (await rawRequest(service.server.forwardAuthUrl ?? "", "/.authsvc/start", [["Host", place.host]])).status,
  ).toBe(403);
});
