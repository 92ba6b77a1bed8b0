import { expect, it } from "vitest";
import { call } from "../../support/person.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

describeSqliteFirst("hostile requests", (current) => {
  const app = useApp(current);

  it.each(["x-http-method-override", "x-http-method", "x-method-override"])("%s changes no method", async (name) => {
    for (const [method, path, wanted] of [
      ["GET", "/auth/initiate", "POST"],
      ["POST", "/auth/validate", "GET"],
      ["POST", "/healthz", "GET"],
    ] as const) {
      const answer = await call(current(), method, `${path}?_method=${wanted}`, { ...app.headers, [name]: wanted });
      expect([path, answer.status]).toEqual([path, 405]);
    }
  });

  it.each([
    ["a query with everything", "?redirectUri=x&code=x&token=x&__proto__[a]=b&a[]=1&a=%00&b=%ff&%zz"],
    ["8,000 characters of query", `?${"a".repeat(8000)}`],
    ["8,000 parameters", `?${"&a".repeat(4000)}`],
  ])("%s changes nothing", async (_title, query) => {
    const answer = await sendUntidied(
      current(),
      "POST",
      `/auth/initiate${query}`,
      { ...app.headers, "content-type": "application/json" },
      JSON.stringify({ redirectUri: app.redirectUri }),
    );
    expect(answer.status).toBe(200);
  });

  it.each([
    ["user-agent", "\u00ff\u00fe<script>".repeat(300)],
    ["x-service-app-id", "\u00ff\u0080"],
    ["authorization", `Bearer ${"\u00ff".repeat(50)}`],
    ["cookie", `${"a=b; ".repeat(1500)}__proto__=x`],
    ["accept-language", `${"x-".repeat(3000)};q=0.${"9".repeat(100)}`],
    ["origin", "null"],
    ["content-length", "2"],
  ])("the header %s with bytes that nobody expects makes no error of ours", async (name, value) => {
    for (const path of ["/auth/initiate", "/auth/callback", "/auth/refresh", "/auth/logout"]) {
      const answer = await sendUntidied(
        current(),
        "POST",
        path,
        { ...app.headers, "content-type": "application/json", [name]: value },
        "{}",
      );
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.status).toBeLessThan(500);
      expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(["error"]);
    }
  });
});
