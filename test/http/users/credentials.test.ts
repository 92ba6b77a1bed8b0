import { beforeAll, describe, expect, it } from "vitest";
import { bearer } from "../../support/methods.ts";
import { call, newEmail, signedUp, type Tokens } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

const routes: [method: string, path: string, body?: unknown][] = [
  ["GET", "/users/profile"],
  ["PATCH", "/users/profile", { unknown: "key" }],
  ["DELETE", "/users/profile"],
  ["GET", "/users/auth-methods"],
  ["POST", "/users/auth-methods", { unknown: "key" }],
  ["DELETE", "/users/auth-methods/mth_unknown"],
];

describeSqliteFirst("user management", (current) => {
  const app = useApp(current);
  let withoutProfile: Tokens;
  beforeAll(async () => {
    withoutProfile = await signedUp(current(), app, newEmail(), { scopes: ["email"] });
  });

  describe.each(routes)("%s %s", (method, path, body) => {
    const send = async (headers: Record<string, string>) => await call(current(), method, path, headers, body);

    it("refuses a token without the scope profile, before it looks at the body", async () => {
      const answer = await send({ ...bearer(withoutProfile.accessToken), "x-service-app-id": app.id });
      expect(answer).toMatchObject({
        status: 403,
        body: { error: { code: "INSUFFICIENT_SCOPE", details: "scope: profile" } },
      });
    });

    it("is counted as user management, by user", async () => {
      const someone = await signedUp(current(), app, newEmail(), { scopes: ["email"] });
      const limit = 1_000_000_000;
      for (const used of [1, 2]) {
        const { headers } = await send(bearer(someone.accessToken));
        expect(headers.get("x-ratelimit-limit")).toBe(String(limit));
        expect(headers.get("x-ratelimit-remaining")).toBe(String(limit - used));
      }
    });
  });
});
