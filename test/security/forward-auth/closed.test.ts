/** A door that cannot decide is closed: odd requests, and a service that starts, stops or fails. */
import { createConnection } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { stopping } from "../../../src/api/service.ts";
import { minute } from "../../../src/lib/clock.ts";
import type { Log } from "../../../src/lib/log.ts";
import { silentLog } from "../../../src/lib/silent-log.ts";
import { ask, createProxy, forProxies, personAt, rawRequest } from "../../support/forward-auth.ts";
import { describeOnSqlite, serviceOfTest, useApp } from "../../support/service.ts";

const doors = ["proxy", "nginx"] as const;

/** Sends bytes, and reads until the end of the connection. */
async function raw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.write(bytes, "latin1");
  return await text(socket);
}

describeOnSqlite("a door that is asked oddly", forProxies, (service) => {
  const app = useApp(service);

  test("Y13: conditions, ranges, upgrades and a length without a body change nothing", async () => {
    const place = await createProxy(service, app, { publicPaths: ["/public"] });
    const { cookie } = await personAt(service, app, place);
    const odd: [string, string][] = [
      ["If-None-Match", "*"],
      ["If-Match", '"x"'],
      ["If-Modified-Since", "Sun, 29 Nov 2026 10:00:00 GMT"],
      ["If-Unmodified-Since", "Sun, 29 Nov 1970 10:00:00 GMT"],
      ["Range", "bytes=0-0"],
      ["Upgrade", "websocket"],
      ["Connection", "Upgrade"],
      ["Expect", "100-continue"],
      ["Expect", "something"],
      ["Content-Length", "5000"],
      ["Transfer-Encoding", "chunked"],
      ["Access-Control-Request-Method", "GET"],
    ];
    for (const door of doors)
      for (const line of odd) {
        // `rawRequest` rejects an answer of 1xx, and a wait for the body would time out.
        expect((await ask(service, door, place.host, { more: [line] })).status).toBe(401);
        expect((await ask(service, door, place.host, { cookie, more: [line] })).status).toBe(200);
        expect((await ask(service, door, place.host, { path: "/public", more: [line] })).status).toBe(200);
      }
  });

  test("Y13: a length without a body makes the next check no part of this one", async () => {
    const place = await createProxy(service, app, { publicPaths: ["/public"] });
    const check = (path: string, more: string) =>
      `GET /auth-request HTTP/1.1\r\nHost: door\r\nX-Original-Method: GET\r\nX-Original-Url: https://${place.host}${path}\r\n${more}\r\n`;
    const hidden = check("/public", "");
    const answer = await raw(
      service.server.forwardAuthUrl ?? "",
      check("/secret", `Content-Length: ${hidden.length}\r\n`) + hidden + check("/secret", "Connection: close\r\n"),
    );
    expect(answer.match(/^HTTP\/1\.1 \d+/gmu)).toEqual(["HTTP/1.1 401"]);
  });

  test("Y13: the method of the check itself is no matter, and never opens more", async () => {
    const place = await createProxy(service, app);
    const { cookie } = await personAt(service, app, place);
    const lines = (own: string): [string, string][] => [
      ["X-Original-Method", "GET"],
      ["X-Original-Url", `https://${place.host}/`],
      ["Cookie", own],
    ];
    for (const method of ["GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"]) {
      const { forwardAuthUrl: url = "" } = service.server;
      expect((await rawRequest(url, "/auth-request", lines(""), method)).status).toBe(401);
      expect((await rawRequest(url, "/auth-request", lines(cookie), method)).status).toBe(200);
    }
  });

  test("Y8: a missing, empty, doubled or odd header of its own family closes a door", async () => {
    const { host } = await createProxy(service, app, { publicPaths: ["/public"] });
    const good: Record<string, [string, string][]> = {
      "/forward-auth": [
        ["X-Forwarded-Proto", "https"],
        ["X-Forwarded-Host", host],
        ["X-Forwarded-Method", "GET"],
        ["X-Forwarded-Uri", "/public"],
      ],
      "/auth-request": [
        ["X-Original-Method", "GET"],
        ["X-Original-Url", `https://${host}/public`],
      ],
    };
    const odd: Record<string, string[]> = {
      "X-Forwarded-Proto": ["http", "ws", "https,https", "https, http", "ftp", " "],
      "X-Forwarded-Host": [
        `${host},${host}`,
        `x@${host}`,
        `${host}/`,
        `${host}:0443`,
        `${host}:99999`,
        `${host}:`,
        `[::1]`,
        "*",
      ],
      "X-Forwarded-Method": ["GET,POST", "GE T", "G\u00e4T", "GET/"],
      "X-Forwarded-Uri": ["public", "https://x/public", "*", "/public#", "/pub lic", "?x", "\\public"],
      "X-Original-Method": ["GET,POST", "GET /"],
      "X-Original-Url": [
        `http://${host}/public`,
        `https://${host}`,
        `https://${host}?/public`,
        `https://x@${host}/public`,
        `https://${host}#/public`,
        `//${host}/public`,
        `https:/${host}/public`,
        `https://${host}\\public`,
        `https://${host}, https://${host}/public`,
        "/public",
      ],
    };
    const { forwardAuthUrl: url = "" } = service.server;
    for (const [path, lines] of Object.entries(good)) {
      const closed = path === "/auth-request" ? 403 : 400;
      expect((await rawRequest(url, path, lines)).status).toBe(200);
      for (const [at, [name, value]] of lines.entries()) {
        const others = lines.toSpliced(at, 1);
        for (const wrong of ["", ...(odd[name] ?? [])])
          expect([name, wrong, (await rawRequest(url, path, [...others, [name, wrong]])).status]).toEqual([
            name,
            wrong,
            closed,
          ]);
        expect((await rawRequest(url, path, others)).status).toBe(closed);
        for (const again of [
          name,
          name.toLowerCase(),
          name.replace("-", "_"),
          name.replaceAll("-", "."),
          name.replace("-", " ").replace(" ", "~"),
        ])
          expect([again, (await rawRequest(url, path, [...lines, [again, value]])).status]).toEqual([again, closed]);
      }
    }
  });
});

test("Y13: a door is closed while the service stops, for public paths too, and without its database", async () => {
  const service = await serviceOfTest("sqlite", forProxies);
  const app = await service.createApp();
  const place = await createProxy(service, app, { publicPaths: ["/public"] });
  const { cookie } = await personAt(service, app, place);
  const { ctx } = service.server.app;
  const asked = async (more: { cookie?: string }) =>
    await Promise.all(
      doors.map(async (door) => (await ask(service, door, place.host, { path: "/public", ...more })).status),
    );
  const statuses = async () => [...(await asked({})), ...(await asked({ cookie }))];
  const open = [200, 200, 200, 200];
  expect(await statuses()).toEqual(open);
  stopping(ctx).now = true;
  expect(await statuses()).toEqual([503, 503, 503, 503]);
  stopping(ctx).now = false;
  const failing = vi.spyOn(ctx.storage, "reader", "get").mockImplementation(() => {
    throw new Error("the database is gone");
  });
  expect((await statuses()).every((status) => status >= 500)).toBe(true);
  failing.mockRestore();
  expect(await statuses()).toEqual(open);
});

test("Y8: what closes a door is logged by header and value, once a minute", async () => {
  const warned: [string, unknown][] = [];
  const log: Log = { ...silentLog, warn: (message, fields) => void warned.push([message, fields]) };
  const service = await serviceOfTest("sqlite", forProxies, { log });
  const app = await service.createApp();
  const { host } = await createProxy(service, app);
  const logged = () => warned.splice(0).filter(([message]) => /check|asked/u.test(message));
  for (let at = 0; at < 3; at += 1) await ask(service, "proxy", host, { path: "no slash" });
  expect(logged()).toEqual([
    [expect.stringContaining("cannot be used"), { door: "proxy", header: "x-forwarded-uri", value: "no slash" }],
  ]);
  for (let at = 0; at < 3; at += 1) await ask(service, "nginx", host, { more: [["Remote_User", "x".repeat(999)]] });
  expect(logged()).toEqual([
    [expect.stringContaining("must remove"), { door: "nginx", host, header: "Remote_User", value: "x".repeat(200) }],
  ]);
  await ask(service, "nginx", "strange.example.com");
  expect(logged()).toEqual([
    [expect.stringContaining("no client protects"), { door: "nginx", header: "host", value: "strange.example.com" }],
  ]);
  service.clock.advance(minute);
  await ask(service, "nginx", "strange.example.com");
  expect(logged()).toHaveLength(1);
});
