import { beforeEach, expect, it } from "vitest";
import { pollsPerMinute } from "../../../src/api/revocations.ts";
import { limitKey } from "../../../src/http/addresses.ts";
import { rateLimits } from "../../../src/rate-limits/service.ts";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import { toNextMinute } from "../../support/limits.ts";
import { bearer } from "../../support/methods.ts";
import { withParty, basic, newParty, post, refreshWith, tokensFor, userInfo } from "../../support/openid-tokens.ts";
import { call, redeem, signIn, validate } from "../../support/person.ts";
import { testConfig, describeOnSqlite } from "../../support/service.ts";

const limit = 20;
const times = (count: number, status: number) => Array.from({ length: count }, () => status);

describeOnSqlite(
  "rate limits of the OAuth endpoints, and of the feed",
  { rateLimits: { ...testConfig.rateLimits, authentication: limit } },
  (current) => {
    beforeEach(() => toNextMinute(current()));

    it("count a client with a secret by itself, and say so in the words of OAuth", async () => {
      const { service, party } = await withParty(current());
      const sibling = await newParty(service, {}, party.app);
      toNextMinute(service);
      const statuses: number[] = [];
      for (let n = 0; n < limit; n += 1) statuses.push((await refreshWith(service, party, "x")).status);
      expect(statuses).toEqual(times(limit, 400));
      const refused = await post(service, "/oauth2/introspect", { token: "x" }, basic(party));
      expect([refused.status, refused.body["error"]]).toEqual([429, "temporarily_unavailable"]);
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/u);
      expect(refused.headers.get("cache-control")).toBe("no-store");
      expect((await refreshWith(service, sibling, "x")).status).toBe(400);
    });

    it("count a client's pushed requests apart, because every visitor who starts a sign-in causes one", async () => {
      const { service, party } = await withParty(current());
      toNextMinute(service);
      const form = { response_type: "code", redirect_uri: party.client.redirectUris[0] ?? "", scope: "openid" };
      const push = async () => (await post(service, "/oauth2/par", form, basic(party))).status;
      const statuses: number[] = [];
      for (let n = 0; n <= limit; n += 1) statuses.push(await push());
      expect(statuses).toEqual([...times(limit, 201), 429]);
      expect((await refreshWith(service, party, "x")).status).toBe(400);
    });

    it("count wrong secrets, unknown tokens and clients without a secret by address", async () => {
      const { service, party } = await withParty(current());
      const spa = await newParty(service, { kind: "spa" });
      toNextMinute(service);
      const wrong = { ...party, secret: "wrong" };
      for (let n = 0; n < limit - 2; n += 1) expect((await refreshWith(service, wrong, "x")).status).toBe(401);
      const bySpa = { grant_type: "refresh_token", refresh_token: "x", client_id: spa.client.id };
      expect((await post(service, "/oauth2/token", bySpa)).status).toBe(400);
      expect((await userInfo(service, "x")).status).toBe(401);
      expect((await refreshWith(service, wrong, "x")).status).toBe(429);
      expect((await post(service, "/oauth2/token", bySpa)).status).toBe(429);
      // Nobody keeps a client out by that.
      expect((await refreshWith(service, party, "x")).status).toBe(400);
    });

    it("a program with a person's token uses up its own limit, and not that of the application's calls for them", async () => {
      const { service, party } = await withParty(current());
      const token = (await tokensFor(service, party)).access_token;
      const own = await redeem(service, party.app, await signIn(service, party.app, party));
      toNextMinute(service);
      const calls = [
        async () => (await userInfo(service, token)).status,
        async () => (await validate(service, party.app, token)).status,
        async () => {
          const verify = `/auth/verify-token?app_id=${party.app.id}&token=${token}`;
          return (await call(service, "GET", verify, {})).status;
        },
      ];
      for (let n = 0; n < limit; n += 1) expect(await calls[n % 3]?.()).toBe(200);
      for (const again of calls) expect(await again()).toBe(429);
      expect((await validate(service, party.app, own.accessToken)).status).toBe(200);
      // And the other way round.
      toNextMinute(service);
      for (let n = 0; n < limit; n += 1) await validate(service, party.app, own.accessToken);
      expect((await validate(service, party.app, own.accessToken)).status).toBe(429);
      expect((await userInfo(service, token)).status).toBe(200);
    });

    it("appear in the audit log with the client's application", async () => {
      const { service, party } = await withParty(current());
      toNextMinute(service);
      for (let n = 0; n <= limit; n += 1) await refreshWith(service, party, "x");
      const { ctx } = service.server.app;
      await aggregatedEvents(ctx).flush();
      const { db, tables } = service.server.app.ctx.storage.reader;
      const entries = await db.select().from(tables.auditEvents);
      const refused = entries.filter(({ action, appId }) => action === "call.refused" && appId === party.app.id);
      expect(refused.map(({ details }) => details)).toMatchObject([
        { code: "RATE_LIMITED", route: "POST /oauth2/token" },
      ]);
    });

    it("the feed, counted apart, is in the audit log with its application as well", async () => {
      const service = current();
      const { id, apiKey } = await service.createApp();
      toNextMinute(service);
      const key = limitKey("authentication", `app:${id}:feed`);
      for (let n = 0; n < pollsPerMinute; n += 1)
        await rateLimits(service.server.app.ctx).limiter.count(key, pollsPerMinute, "known");
      expect((await call(service, "GET", "/auth/revocations", bearer(apiKey))).status).toBe(429);
      const { ctx } = service.server.app;
      await aggregatedEvents(ctx).flush();
      const [entry] = await audit.list(ctx, { appId: id, limit: 1 });
      expect(entry).toMatchObject({ action: "call.refused", details: { route: "GET /auth/revocations" } });
    });
  },
);
