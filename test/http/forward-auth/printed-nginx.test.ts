import { expect, test } from "vitest";
import { forProxies } from "../../support/forward-auth.ts";
import { leftOut } from "../../support/left-out.ts";
import { oddProxiedRequests } from "../../support/odd-proxied-requests.ts";
import { compare, protect } from "../../support/proxied-comparison.ts";
import { cannotRun } from "../../support/proxies.ts";
import { describeOnSqlite, useApp } from "../../support/service.ts";

/** The other proxies, and all requests: `test/long/forward-auth-proxies.test.ts`. */
describeOnSqlite("a program behind nginx, by the text that is printed", forProxies, (service) => {
  const app = useApp(service);
  const tried = { proxy: "nginx", program: "nginx" } as const;
  const reason = cannotRun(tried);

  test.skipIf(reason !== undefined)(`Y10: the program sees only what was decided${leftOut(reason)}`, async () => {
    const place = await protect(service, app, tried);
    const complaints: string[] = [];
    for (const request of oddProxiedRequests.filter(({ passes }, index) => passes || index % 4 === 0))
      for (const isSignedIn of [false, true]) {
        const outcome = await compare(place, request, isSignedIn);
        complaints.push(...outcome.complaints.map((text) => `${isSignedIn} ${request.name}: ${text}`));
      }
    await place.closeDoor();
    const stopped = await place.send(`GET / HTTP/1.1\r\nHost: ${place.host}\r\nCookie: ${place.cookie}\r\n\r\n`);
    expect(stopped.status).toBe(500);
    await place.stop();
    expect(complaints).toEqual([]);
  });

  test.skipIf(reason !== undefined)(
    `a stranger gets one challenge, and a forger the reason${leftOut(reason)}`,
    async () => {
      const place = await protect(service, app, tried);
      const { host, cookie } = place;
      const send = async (...lines: string[]) =>
        await place.send(["GET /x HTTP/1.1", `Host: ${host}`, ...lines, "", ""].join("\r\n"));
      const script = await send("Accept: application/json");
      expect([script.status, script.headers.get("www-authenticate")]).toEqual([401, `Bearer realm="${host}"`]);
      const page = await send("Accept: text/html");
      expect([page.status, page.headers.get("www-authenticate")]).toEqual([303, undefined]);
      for (const lines of [[], [`Cookie: ${cookie}`]]) {
        const forger = await send("Remote-User: admin", ...lines);
        expect([forger.status, JSON.parse(forger.body)]).toMatchObject([403, { error: { code: "FORBIDDEN_HEADER" } }]);
      }
      await place.stop();
    },
  );
});
