import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { revocations } from "../../../src/records/revocations/service.ts";
import { askFeed } from "../../support/feed.ts";
import { call, initiate, signedUp, signUp } from "../../support/person.ts";
import { testConfig, startTestService, type Dialect } from "../../support/service.ts";

describe.each<Dialect>(["sqlite", "postgres"])("with the database gone (%s)", (dialect) => {
  it("every call that needs it answers SERVER_ERROR: no success, no refusal, no reason (security rules F10, G4)", async () => {
    // A limit so small that a node sets nothing aside.
    const rateLimits = { ...testConfig.rateLimits, authentication: 1000 };
    const running = await startTestService(dialect, { rateLimits });
    try {
      const { service } = running;
      const app = await service.createApp();
      const tokens = await signedUp(service, app);
      const waiting = await signUp(service, app);
      const session = await initiate(service, app);
      const bearer = { authorization: `Bearer ${tokens.accessToken}` };
      const { cursor } = await askFeed(service, app);
      const hearing = call(service, "GET", `/auth/revocations?after=${cursor}&wait=25`, app.headers);
      await expect.poll(() => revocations(service.server.app.ctx).waiting()).toBe(1);
      await service.server.app.ctx.storage.close();

      const answers = [
        // A feed that is cut does not say that nothing has ended.
        await hearing,
        await call(service, "POST", "/auth/initiate", app.headers, { redirectUri: app.redirectUri }),
        await call(service, "POST", "/auth/callback", app.headers, {
          code: waiting.code,
          sessionId: waiting.session.sessionId,
        }),
        await call(service, "POST", "/auth/refresh", app.headers, { refreshToken: tokens.refreshToken }),
        await call(service, "GET", "/auth/validate", { ...bearer, "x-service-app-id": app.id }),
        await call(service, "POST", "/auth/logout", bearer, {}),
        await call(service, "POST", "/auth/logout", bearer, { allSessions: true }),
        // An unknown key is not known to be unknown.
        await call(service, "POST", "/auth/initiate", { authorization: `Bearer ${"z".repeat(40)}` }, {}),
      ];
      for (const { status, headers, body } of answers) {
        expect(status).toBe(500);
        expect(body).toEqual({
          error: {
            code: "SERVER_ERROR",
            message: expect.stringMatching(/\S/u),
            details: "",
            requestId: headers.get("x-request-id"),
          },
        });
        expect(headers.get("cache-control")).toBe("no-store");
      }
      // One sentence for every reason.
      expect(new Set(answers.map(({ body }) => body.error?.message)).size).toBe(1);

      // Needs nothing but its count, which nodes share: what cannot be counted is not let through.
      const nothing = await call(service, "GET", "/auth/nothing", {});
      expect(nothing.status).toBe(dialect === "postgres" ? 500 : 404);

      const page = await fetch(session.authUrl);
      expect(page.status).toBe(500);
      expect(await page.text()).not.toMatch(/sql|database|storage|at .*\.ts/iu);
    } finally {
      await stopWithoutStorage(running);
    }
  });

  it("is not ready but alive, and keeps publishing the keys that it knows", async () => {
    const running = await startTestService(dialect);
    try {
      const { service } = running;
      expect((await call(service, "GET", "/readyz", {})).status).toBe(200);
      const keys = (await call(service, "GET", "/.well-known/jwks.json", {})).body;
      await service.server.app.ctx.storage.close();
      expect((await call(service, "GET", "/readyz", {})).status).toBe(503);
      expect((await call(service, "GET", "/healthz", {})).status).toBe(200);
      expect((await call(service, "GET", "/.well-known/jwks.json", {})).body).toEqual(keys);
    } finally {
      await stopWithoutStorage(running);
    }
  });
});

/** node-postgres refuses to end a pool that has ended. */
async function stopWithoutStorage(running: Awaited<ReturnType<typeof startTestService>>): Promise<void> {
  await running.stop().catch((error: unknown) => {
    if (!String(error).includes("end on pool more than once")) throw error;
  });
  rmSync(running.service.dataDir, { recursive: true, force: true });
}
