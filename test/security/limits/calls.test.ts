import { beforeEach, describe, expect, it } from "vitest";
import * as newPasswords from "../../../src/credentials/passwords/new-passwords.ts";
import * as passwords from "../../../src/credentials/passwords/service.ts";
import { toNextMinute } from "../../support/limits.ts";
import { call, initiate, signedUp, validate, Visitor } from "../../support/person.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import {
  testConfig,
  describeEachDatabase,
  startTestService,
  type Dialect,
  type TestService,
} from "../../support/service.ts";

const limit = 8;
const rateLimits = { authentication: limit, userManagement: limit, applicationManagement: limit, webhooks: limit };
const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

function standing({ headers }: { headers: Headers }): string[] {
  return ["limit", "remaining", "reset"].map((name) => headers.get(`x-ratelimit-${name}`) ?? "none");
}

/** Without fetch's opinion of what an address is. */
async function get(service: TestService, path: string, method = "GET") {
  const response = await fetch(`${service.url}${path}`, { method });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === "" ? {} : JSON.parse(text)) as { error?: { code: string; requestId: string } },
  };
}

describeEachDatabase("limits from outside", { rateLimits }, (service) => {
  beforeEach(() => toNextMinute(service));

  it.each([
    ["/auth", ["/auth/nothing", "/auth", "/auth/%ff", "/oauth/x/y/z", "/auth/validate?a=%"], "/auth/initiate"],
    ["/users", ["/users/nothing", "/users/%", "/api/user/more"], "/users/profile"],
    ["/applications", ["/applications", "/applications/x/y", "/api/nothing"], "/api/config"],
    ["/webhooks", ["/webhooks/nothing", "/webhooks/%c0%ae"], "/webhooks/endpoints"],
  ])(
    "L1, L2: who searches below %s is counted like anybody who tries keys there, with integer headers on every answer",
    async (_, paths, known) => {
      const reset = String(Math.floor(service.clock.now / 60_000) * 60 + 60);
      const asked = Array.from({ length: limit }, (__, n) => paths[n % paths.length] ?? "");
      for (const [n, path] of asked.entries()) {
        // The last is a method that the path does not have.
        const answer = n === limit - 1 ? await get(service, known, "PUT") : await get(service, path);
        expect([path, answer.status < 500 && answer.status >= 400]).toEqual([path, true]);
        expect([path, ...standing(answer)]).toEqual([path, String(limit), String(limit - 1 - n), reset]);
      }
      for (const answer of [
        await get(service, paths[0] ?? ""),
        await get(service, paths[1] ?? ""),
        await get(service, known, "PUT"),
        await get(service, known),
      ]) {
        expect([answer.status, answer.body.error?.code]).toEqual([429, "RATE_LIMITED"]);
        expect(answer.headers.get("retry-after")).toBe("60");
        expect(answer.headers.get("allow")).toBeNull();
        expect(standing(answer)).toEqual([String(limit), "0", reset]);
      }
      toNextMinute(service);
      expect((await get(service, paths[0] ?? "")).status).toBe(404);
    },
  );

  it("L1: a path is of the same type in absolute form", async () => {
    const { status, headers } = await sendUntidied(service, "GET", "http://a.example/auth/nothing?a", {});
    expect([status, headers["x-ratelimit-remaining"]]).toEqual([404, String(limit - 1)]);
  });

  it("L1: paths outside of the API are of no type, and cost nobody a call", async () => {
    for (let n = 0; n < 2 * limit; n += 1) {
      const answer = await get(service, n % 2 === 0 ? "/nothing/here" : "/authentic");
      expect([answer.status, ...standing(answer)]).toEqual([404, "none", "none", "none"]);
    }
    expect((await get(service, "/auth/nothing")).status).toBe(404);
  });

  it("L10: anybody who floods the service by address or by one app's key leaves users and other apps alone", async () => {
    const [app, other] = [await service.createApp(), await service.createApp()];
    const { accessToken } = await signedUp(service, app);
    toNextMinute(service);
    const flood = Array.from({ length: 3 * limit }, async () => await get(service, "/auth/nothing"));
    await Promise.all(flood);
    const byKey = Array.from({ length: 3 * limit }, async () => {
      return (await call(service, "POST", "/auth/refresh", app.headers, { refreshToken: "x" })).status;
    });
    expect((await Promise.all(byKey)).toSorted((a, b) => a - b)).toEqual([
      ...times(limit, 401),
      ...times(2 * limit, 429),
    ]);
    expect((await validate(service, app, accessToken)).status).toBe(200);
    expect((await initiate(service, other)).sessionId).toMatch(/^sis_/u);
  });
});

describeEachDatabase(
  "limits of networks behind a proxy",
  { rateLimits, trustedProxies: ["127.0.0.1", "10.0.0.0/8"] },
  (service) => {
    beforeEach(() => toNextMinute(service));
    const from = async (forwardedFor: string) =>
      (await call(service, "POST", "/auth/initiate", { "x-forwarded-for": forwardedFor }, {})).status;

    it("L3, CVE-2026-45364: an IPv6 address counts as its /64, however it is written", async () => {
      const sameNetwork = [
        "2001:db8:7:1::1",
        "2001:0db8:0007:0001:0000:0000:0000:0001",
        "2001:DB8:7:1::abcd",
        "2001:db8:7:1:0:0:192.0.2.1",
        "2001:db8:7:1:ffff:ffff:ffff:ffff",
        "2001:db8:7:1:8000::",
        "2001:db8:7:1::%eth0",
        "2001:db8:07:01::2",
      ];
      expect(sameNetwork).toHaveLength(limit);
      for (const address of sameNetwork) expect([address, await from(address)]).toEqual([address, 401]);
      for (let n = 0; n < 40; n += 1) {
        const address = `2001:db8:7:1:${n.toString(16)}::${(n * 977).toString(16)}`;
        expect([address, await from(address)]).toEqual([address, 429]);
      }
      for (const address of ["2001:db8:7:2::1", "2001:db8:8:1::1"])
        expect([address, await from(address)]).toEqual([address, 401]);
    });

    it("L3, CVE-2026-45364: an IPv4 address is the same within IPv6, in six ways of writing it", async () => {
      const sameAddress = [
        "203.0.113.7",
        "::ffff:203.0.113.7",
        "::FFFF:203.0.113.7",
        "::ffff:cb00:7107",
        "0:0:0:0:0:ffff:203.0.113.7",
        "0000:0000:0000:0000:0000:FFFF:CB00:7107",
      ];
      for (let n = 0; n < limit; n += 1) expect(await from(sameAddress[n % sameAddress.length] ?? "")).toBe(401);
      for (const address of sameAddress) expect([address, await from(address)]).toEqual([address, 429]);
      for (const address of ["203.0.113.8", "::ffff:203.0.113.8"])
        expect([address, await from(address)]).toEqual([address, 401]);
    });

    it("L2, CVE-2023-36456: the right-most address that is not a proxy's counts", async () => {
      for (let n = 0; n < limit; n += 1) expect(await from(`198.51.100.${n}, 203.0.113.7`)).toBe(401);
      const sameClient = [
        "203.0.113.7",
        "198.51.100.99,203.0.113.7",
        "203.0.113.7, 127.0.0.1",
        "203.0.113.8, 203.0.113.7, 10.1.2.3",
        "203.0.113.7,127.0.0.1 , 10.0.0.1",
      ];
      for (const claim of sameClient) expect([claim, await from(claim)]).toEqual([claim, 429]);
      const otherClients = ["203.0.113.8", "203.0.113.7, 203.0.113.9", "203.0.113.7, 203.0.113.10, 127.0.0.1"];
      for (const claim of otherClients) expect([claim, await from(claim)]).toEqual([claim, 401]);
    });

    it.each(["unknown", "", ",", "203.0.113.7:1234x", "<script>", "'; drop table logins; --", "999.1.1.1", "_hidden"])(
      "L2: %j, which is no address, counts as the proxy's own",
      async (claim) => {
        for (let n = 0; n < limit; n += 1) expect(await from("nonsense")).toBe(401);
        expect(await from(claim)).toBe(429);
        expect(await from("203.0.113.20")).toBe(401);
      },
    );
  },
);

describe.each<Dialect>(["sqlite", "postgres"])("limits with the database gone (%s)", (dialect) => {
  it("L10: let nothing through uncounted: no password is looked at, and what cannot be counted is answered with 500", async () => {
    const running = await startTestService(dialect, { rateLimits: { ...testConfig.rateLimits, authentication: 1000 } });
    const { service } = running;
    try {
      const app = await service.createApp();
      const { email, accessToken } = await signedUp(service, app);
      const visitor = new Visitor();
      const page = await visitor.get((await initiate(service, app)).authUrl);
      await service.server.app.ctx.storage.close();
      const { ctx } = service.server.app;
      const application = { id: app.id } as Parameters<typeof passwords.prove>[1];
      const tried = { email, password: "x", browser: "", attempt: passwords.admitTry(ctx, "192.0.2.1") };
      await expect(passwords.prove(ctx, application, tried)).rejects.toThrow();
      await expect(newPasswords.hash(ctx, "x", "192.0.2.1")).rejects.toThrow();
      expect((await visitor.submit(page, "/password", { email, password: "x" })).status).toBe(500);
      expect((await validate(service, app, accessToken)).status).toBe(500);
      // Nothing but the count needs the database here; one process counts in memory.
      const unknown = await get(service, "/auth/nothing");
      expect([unknown.status, unknown.body.error?.code]).toEqual(
        dialect === "sqlite" ? [404, "INVALID_REQUEST"] : [500, "SERVER_ERROR"],
      );
    } finally {
      await running.stop().catch((error: unknown) => {
        if (!String(error).includes("end on pool more than once")) throw error;
      });
    }
  });
});
