import { beforeAll, describe, expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import type { TestApp } from "../../support/service.ts";

const current = useService();
let app: TestApp;
beforeAll(async () => {
  app = await current().createApp();
});

describe("another site's script", () => {
  const origins = ["https://evil.example", "null", "https://app.example", "https://app.example.evil.example"];
  const pagePaths = [
    "/account",
    "/sign-in/x",
    "/sign-in/x/password",
    "/oauth/google/callback",
    "/oauth/google/authorize",
    "/reset/x",
  ];

  it.each(origins)(
    "H8: from %s is let into no page and no authorization, by a preflight or without one",
    async (origin) => {
      for (const path of pagePaths)
        for (const [method, headers] of [
          ["GET", { origin }],
          ["POST", { origin }],
          [
            "OPTIONS",
            { origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type" },
          ],
        ] as const) {
          const answer = await fetch(current().url + path, { method, headers, redirect: "manual" });
          const allowed = [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"));
          expect(allowed, `${method} ${path}`).toEqual([]);
        }
    },
  );

  it.each(origins)("H8: from %s is let nowhere with credentials, and nowhere by a star", async (origin) => {
    for (const path of [
      "/auth/validate",
      "/users/profile",
      "/api/config",
      "/api/user",
      "/auth/callback",
      "/auth/initiate",
    ])
      for (const method of ["GET", "OPTIONS"]) {
        const answer = await fetch(`${current().url}${path}?app_id=${app.id}`, {
          method,
          headers: { origin, "access-control-request-method": "GET", cookie: "authsvc-x=1" },
        });
        expect(answer.headers.get("access-control-allow-origin")).not.toBe("*");
        expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
        if (origin !== "https://app.example") expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      }
  });
});
