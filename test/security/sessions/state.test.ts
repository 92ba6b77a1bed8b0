import { expect, it } from "vitest";
import { call, goodPassword, initiate, newEmail, redeem, signedUp, signIn, Visitor } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith, atProvider } from "../../support/providers/round.ts";
import { describeOnSqlite } from "../../support/service.ts";

const [github] = await useProviders("github");

const states: [title: string, state: string][] = [
  ["2,048 characters", "x".repeat(2048)],
  ["2,048 characters of four bytes", "\u{1F511}".repeat(1024)],
  ["line breaks and a header", "a\r\nSet-Cookie: x=1\r\nLocation: https://evil.example\r\n\r\nbody"],
  ["a script", `"><script>alert(1)</script><img src=x onerror=alert(1)>`],
  ["the query's own signs", "a=b&code=stolen&sessionId=sis_x#fragment?%26%3D+ +"],
  ["escapes that must not be undone", "%00%0d%0a%252F%E0%A4%A"],
  ["both normal forms of one letter", "\u00fc u\u0308"],
  ["invisible and turning characters", "\u200b\u202eevil\u2066\ufeff"],
  ["JSON", '{"__proto__":{"a":1},"b":[null]}'],
  ["a template and a path", "${7*7}{{7*7}}<%= 7 %>/../../etc/passwd"],
  ["SQL", "' OR '1'='1'; DROP TABLE users; --"],
  ["nothing", ""],
  ["a space before and behind", " \t state \t "],
];

describeOnSqlite("the state that an app gives", (service) => {
  it.each(states)(
    "S8: %s comes back byte for byte, stands in no page, and is needed byte for byte",
    async (_, state) => {
      const app = await service.createApp();
      const { email } = await signedUp(service, app);
      const session = await initiate(service, app, { state });
      const visitor = new Visitor();
      const pages = [
        await visitor.get(session.authUrl),
        await visitor.get(`${session.authUrl}/create-account`),
        await visitor.get(`${session.authUrl}/forgot-password`),
      ];
      const wrong = await visitor.submit(pages[0] ?? fail(), "/password", {
        email,
        password: "wrong, but long enough",
      });
      for (const { text } of [...pages, wrong])
        if (state.length > 10) expect(text.includes(state) || text.includes(escaped(state))).toBe(false);

      const cancelled = await visitor.get(`${session.authUrl}/cancel`);
      const done = await visitor.submit(wrong, "/password", { email, password: goodPassword });
      for (const { status, headers } of [cancelled, done]) {
        expect(status).toBe(303);
        // As it stands in the header, not as some parser repairs it.
        const line = headers.get("location") ?? "";
        expect(line).toMatch(/^[\x21-\x7e]+$/u);
        const [, raw = ""] = /[?&]state=([^&#]*)/u.exec(line) ?? [];
        expect(hexOf(decodeURIComponent(raw))).toBe(hexOf(state));
        expect([...new URL(line).searchParams.keys()].filter((name) => name === "code").length).toBeLessThan(2);
        expect(headers.get("set-cookie") ?? "").not.toContain("x=1");
      }
      const code = done.location.searchParams.get("code") ?? "";
      expect((await redeem(service, app, { session, code }, { state })).expiresIn).toBe(900);
      for (const other of [{}, { state: state.slice(1) || "x" }, { state: ` ${state.slice(1)}` }]) {
        const again = await signIn(service, app, { email }, { state });
        if (other.state !== state) await expect(redeem(service, app, again, other)).rejects.toThrow("400");
      }
    },
  );

  it("S8: is refused when it is longer, or no text, and not cut", async () => {
    const app = await service.createApp();
    for (const state of ["x".repeat(2049), "\ud800", "a\udc00b", 7, ["x"], {}]) {
      const body = { redirectUri: app.redirectUri, state };
      const { status, body: answer } = await call(service, "POST", "/auth/initiate", app.headers, body);
      expect([status, answer.error?.code]).toEqual([400, "INVALID_REQUEST"]);
    }
  });

  it("S8: comes back the same from the authorize address and over a provider", async () => {
    const app = await appWith(service, [github]);
    for (const [nth, [, state]] of states.entries()) {
      const visitor = new Visitor();
      const query = new URLSearchParams({ app_id: app.id, redirect_uri: app.redirectUri, state });
      const start = await visitor.get(`${service.url}/oauth/github/authorize?${query.toString()}`);
      expect(start.status).toBe(303);
      // The provider sees a state of the service's own.
      if (state.length > 3) expect(start.location.href).not.toContain(encodeURIComponent(state));
      const person = { subject: String(nth + 1), email: newEmail(), verified: true };
      const done = await visitor.get((await atProvider(start.location, github, person)).url);
      const [, raw = ""] = /[?&]state=([^&#]*)/u.exec(done.headers.get("location") ?? "") ?? [];
      expect(hexOf(decodeURIComponent(raw))).toBe(hexOf(state));
    }
  });
});

function hexOf(text: string): string {
  return Buffer.from(text).toString("hex");
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function fail(): never {
  throw new Error("there is no page");
}
