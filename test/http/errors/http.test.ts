import { Agent, request } from "node:http";
import { describe, expect, it } from "vitest";
import { signedUp } from "../../support/person.ts";
import { sendBytes } from "../../support/raw-http.ts";
import { useApp, describeOnSqlite, type TestService } from "../../support/service.ts";

const allowed: Record<string, string[]> = {
  "/auth/initiate": ["POST"],
  "/auth/callback": ["POST"],
  "/auth/refresh": ["POST"],
  "/auth/validate": ["GET"],
  "/auth/logout": ["POST"],
  "/.well-known/jwks.json": ["GET"],
  "/.well-known/openid-configuration": ["GET"],
  "/healthz": ["GET"],
  "/readyz": ["GET"],
};
const withBody = Object.entries(allowed).flatMap(([path, [method]]) => (method === "POST" ? [path] : []));
const redirectUri = "https://app.example/callback";
const stream = (text: string) => new Blob([text]).stream();
const invalidRequest = (status: number) => ({ status, body: { error: { code: "INVALID_REQUEST" } } });

describeOnSqlite("HTTP's own conditions", (current) => {
  const app = useApp(current);

  describe("the content type", () => {
    const refused = [
      undefined,
      "",
      "text/plain",
      "text/json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonp",
      "application/json-patch+json",
      "application/vnd.api+json",
      "xapplication/json",
      "application/json, text/plain",
      "text/plain; application/json",
      "application/json; charset=utf-16",
      "application/json; charset=iso-8859-1",
    ];

    it.each(refused)("%j is refused with 415", async (type) => {
      const body = new TextEncoder().encode(JSON.stringify({ redirectUri }));
      const sent = type === undefined ? app.headers : { ...app.headers, "content-type": type };
      expect(await send(current(), "POST", "/auth/initiate", { headers: sent, body })).toMatchObject(
        invalidRequest(415),
      );
    });

    it.each([
      "application/json",
      "Application/JSON",
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
    ])("%j is taken", async (type) => {
      const body = JSON.stringify({ redirectUri });
      expect(
        (await send(current(), "POST", "/auth/initiate", { headers: { ...app.headers, "content-type": type }, body }))
          .status,
      ).toBe(200);
    });

    it.each(["gzip", "br", "deflate", "identity, gzip"])(
      "a body in content encoding %s is refused with 415",
      async (encoding) => {
        const sent = { ...app.headers, "content-type": "application/json", "content-encoding": encoding };
        const answer = await send(current(), "POST", "/auth/initiate", {
          headers: sent,
          body: JSON.stringify({ redirectUri }),
        });
        expect(answer).toMatchObject(invalidRequest(415));
        expect(answer.body.error.details).toMatch(/^content-encoding: /u);
      },
    );
  });

  describe("the body", () => {
    const post = async (path: string, headers: Record<string, string>, body?: string) =>
      await send(current(), "POST", path, {
        headers: { ...headers, "content-type": "application/json" },
        ...(body === undefined ? {} : { body }),
      });

    it("that is no object, or has a field of a wrong type, is refused in our own words", async () => {
      expect((await post("/auth/initiate", app.headers, "[]")).body.error.details).toBe("body: must be a JSON object");
      const bodies = [
        '{"redirectUri":1}',
        '{"redirectUri":{}}',
        '{"redirectUri":null}',
        '{"scopes":[1]}',
        '{"scopes":7}',
        '{"state":[]}',
      ];
      for (const path of withBody) {
        for (const body of bodies) {
          const answer = await post(path, app.headers, body);
          expect(JSON.stringify(answer.body)).not.toMatch(/Invalid|expected|received/u);
        }
      }
    });

    it("that is empty counts as left out where it is optional", async () => {
      for (const body of [undefined, "", stream("")]) {
        const { accessToken } = await signedUp(current(), app);
        const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
        const sent = body === undefined ? { headers } : { headers, body };
        expect((await send(current(), "POST", "/auth/logout", sent)).status).toBe(200);
      }
    });

    it("may hold null for an optional field, which counts as left out", async () => {
      const { accessToken } = await signedUp(current(), app);
      const names = "state authMethod provider scopes codeChallenge loginHint locale".split(" ");
      const optional = Object.fromEntries(names.map((name) => [name, null]));
      const begun = await post("/auth/initiate", app.headers, JSON.stringify({ redirectUri, ...optional }));
      expect(begun.status).toBe(200);
      expect(await post("/auth/initiate", app.headers, '{"redirectUri":null}')).toMatchObject(invalidRequest(400));
      const bearer = { authorization: `Bearer ${accessToken}` };
      expect((await post("/auth/logout", bearer, '{"refreshToken":null,"allSessions":null}')).status).toBe(200);
    });
  });

  it("a slash behind a path makes another path, which is not found", async () => {
    for (const [path, methods] of Object.entries(allowed)) {
      for (const method of [...methods, "DELETE"]) {
        for (const other of [`${path}/`, `${path}/?a=b`, `${path}//`])
          expect([other, (await send(current(), method, other)).status]).toEqual([other, 404]);
      }
    }
  });

  it("every 401 says how to authenticate, and tells an error only to who sent a credential", async () => {
    const { headers, id } = app;
    const challenge = 'Bearer realm="authsvc"';
    const withError = `${challenge}, error="invalid_token"`;
    const bad = { authorization: "Bearer nothing" };
    const cases: [method: string, path: string, sent: Record<string, string>, expected: string][] = [
      ["GET", "/auth/validate", {}, challenge],
      ["GET", "/auth/validate", bad, withError],
      ["POST", "/auth/initiate", {}, challenge],
      ["POST", "/auth/initiate", bad, withError],
      ["POST", "/auth/initiate", { ...headers, "x-service-app-id": "app_unknown" }, withError],
      ["GET", "/users/profile", bad, withError],
      ["GET", `/applications/${id}`, bad, withError],
      ["GET", "/api/user", {}, challenge],
      ["GET", "/api/user?token=nothing", {}, withError],
    ];
    for (const [method, path, sent, expected] of cases) {
      const answer = await send(current(), method, path, { headers: sent });
      expect([path, answer.status, answer.headers.get("www-authenticate")]).toEqual([path, 401, expected]);
    }
    expect((await send(current(), "GET", "/healthz")).headers.get("www-authenticate")).toBeNull();
  });

  it("an answer without content has no length", async () => {
    const [answer] = await sendBytes(current(), "OPTIONS /auth/validate HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(answer?.status).toBe(204);
    expect(answer?.headers.has("content-length")).toBe(false);
    expect(answer?.headers.has("transfer-encoding")).toBe(false);
  });

  describe("the size of a body", () => {
    /** A good body of initiate, filled up with white space to `bytes`. */
    const bodyOf = (bytes: number) => JSON.stringify({ redirectUri }).padEnd(bytes, " ");

    it("may be 16 KiB", async () => {
      const sent = { ...app.headers, "content-type": "application/json" };
      for (const body of [bodyOf(16_384), stream(bodyOf(16_384))]) {
        expect((await send(current(), "POST", "/auth/initiate", { headers: sent, body })).status).toBe(200);
      }
    });

    it.each(withBody)("one byte more is refused with 413 by %s, with or without a Content-Length", async (path) => {
      const bearer = { authorization: `Bearer ${(await signedUp(current(), app)).accessToken}` };
      const credentials = path === "/auth/logout" ? bearer : app.headers;
      const headers = { ...credentials, "content-type": "application/json" };
      for (const body of [bodyOf(16_385), stream(bodyOf(16_385)), bodyOf(3_000_000), stream(bodyOf(3_000_000))]) {
        expect(await send(current(), "POST", path, { headers, body })).toMatchObject(invalidRequest(413));
      }
    });

    it("is refused as soon as it is too large, not when it ends", async () => {
      const options = { method: "POST", headers: { ...app.headers, "content-type": "application/json" } };
      const status = await new Promise((resolve, reject) => {
        const sent = request(`${current().url}/auth/initiate`, options, (answer) => {
          resolve(answer.statusCode);
          sent.destroy();
        });
        sent.once("error", reject).write(" ".repeat(17_000));
      });
      expect(status).toBe(413);
    });

    it("that was refused leaves the connection in order, or closes it, whichever it announces", async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const options = { agent, method: "POST", headers: { ...app.headers, "content-type": "application/json" } };
      try {
        for (let n = 0; n < 4; n += 1) {
          const begun = performance.now();
          const status = await new Promise((resolve, reject) => {
            const sent = request(`${current().url}/auth/initiate`, options, (answer) =>
              answer.resume().once("end", () => resolve(answer.statusCode)),
            );
            sent.once("error", reject);
            // Without a Content-Length it is in chunks; more than the buffers of a connection hold.
            for (let written = 0; written < 300; written += 1) sent.write(" ".repeat(10_000));
            sent.end();
          });
          expect(status).toBe(413);
          expect(performance.now() - begun).toBeLessThan(8000);
        }
      } finally {
        agent.destroy();
      }
    });
  });
});

async function send(
  service: TestService,
  method: string,
  path: string,
  {
    headers = {},
    body,
  }: { headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> | ReadableStream } = {},
) {
  const duplex = body instanceof ReadableStream ? { duplex: "half" as const } : {};
  const response = await fetch(service.url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body, ...duplex }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text) };
}
