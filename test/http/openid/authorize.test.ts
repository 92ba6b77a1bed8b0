import { expect, it, describe } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import { withParty, tokensFor } from "../../support/openid-tokens.ts";
import { authorize, authorizeUrl, codeChallenge, createTestClient } from "../../support/openid.ts";
import { newEmail, signUp, Visitor } from "../../support/person.ts";
import { updateApp, describeSqliteFirst, describeOnSqlite, type TestService } from "../../support/service.ts";

async function prepared(service: TestService, changes: Parameters<typeof createTestClient>[2] = {}) {
  const app = await service.createApp();
  const email = newEmail();
  await signUp(service, app, { email });
  return { service, app, email, client: await createTestClient(service, app, changes) };
}

describeSqliteFirst("GET /oauth2/authorize", (current) => {
  it("C4: signs in by password, and redirects with code, state and iss, and nothing else", async () => {
    const { service, client, email } = await prepared(current());
    const state = "a b&c=d#\u{1F511}";
    const done = await authorize(service, client, { email }, { state });
    expect(done.status).toBe(303);
    const { location } = done;
    expect(`${location.origin}${location.pathname}`).toBe(client.redirectUris[0]);
    expect([...location.searchParams.keys()]).toEqual(["code", "state", "iss"]);
    expect(location.searchParams.get("code")).toMatch(/^[A-Za-z0-9_-]{43}$/u);
    expect(location.searchParams.get("state")).toBe(state);
    expect(location.searchParams.get("iss")).toBe(service.url);
  });

  it("takes the application itself as a client, by its App ID", async () => {
    const { service, app, email } = await prepared(current());
    const done = await authorize(service, { id: app.id, redirectUris: [app.redirectUri] }, { email }, { state: null });
    expect([...done.location.searchParams.keys()]).toEqual(["code", "iss"]);
  });

  it("creates an account on the way, as every sign-in does", async () => {
    const { service, client } = await prepared(current());
    const visitor = new Visitor();
    const start = await visitor.get(authorizeUrl(service, client));
    const page = await visitor.get(`${start.location.href}/create-account`);
    const values = { email: newEmail(), name: "Ada", password: "correct horse battery staple" };
    const done = await visitor.submit(page, "/create-account", values);
    expect(done.location.searchParams.has("code")).toBe(true);
  });

  it("posts the response from a page with response_mode=form_post", async () => {
    const { service, client, email } = await prepared(current());
    const done = await authorize(service, client, { email }, { response_mode: "form_post" });
    expect(done.status).toBe(200);
    const { action, fields } = done.form("/callback");
    expect(action).toBe(client.redirectUris[0]);
    expect(Object.keys(fields)).toEqual(["code", "state", "iss"]);
    const policy = done.headers.get("content-security-policy") ?? "";
    expect(policy).toContain(`form-action 'self' ${new URL(action).origin};`);
    expect(done.headers.get("x-frame-options")).toBe("DENY");
    expect(done.headers.get("cache-control")).toBe("no-store");
    expect(done.headers.getSetCookie().length).toBeGreaterThan(0);
  });

  it("tells the client when the person cancels", async () => {
    const { service, client } = await prepared(current());
    const visitor = new Visitor();
    const start = await visitor.get(authorizeUrl(service, client));
    const done = await visitor.get(`${start.location.href}/cancel`);
    expect(Object.fromEntries(done.location.searchParams)).toEqual({
      error: "access_denied",
      error_description: "The sign-in was cancelled.",
      state: "st",
      iss: service.url,
    });
  });

  it("ends sessions of a client that was disabled meanwhile, or lost its address", async () => {
    const service = current();
    for (const change of [{ disabledAt: 1 }, { redirectUris: ["https://other.example/"] }]) {
      const { client } = await prepared(service);
      const visitor = new Visitor();
      const start = await visitor.get(authorizeUrl(service, client));
      expect((await visitor.get(start.location.href)).status).toBe(200);
      await service.server.app.ctx.storage.write(async (tx) => {
        await tx.db.update(tx.tables.clients).set(change);
      });
      const page = await visitor.get(start.location.href);
      expect(page.status).toBe(400);
      expect(page.text).not.toContain("client");
    }
  });
});

describeOnSqlite("an authorization request that is wrong", (current) => {
  describe("shows an error page, and sends nobody anywhere", () => {
    const wrong: [title: string, parameters: Record<string, string | null>, details: string][] = [
      ["an unknown client", { client_id: "cli_nowhere" }, "client_id: unknown or disabled"],
      ["no client", { client_id: null }, "client_id: unknown or disabled"],
      ["no redirect URI", { redirect_uri: null }, "redirect_uri: required"],
      ["an empty redirect URI", { redirect_uri: "" }, "redirect_uri: required"],
      ["a foreign redirect URI", { redirect_uri: "https://evil.example/" }, "redirect_uri: not registered"],
      ["a script", { redirect_uri: "javascript:alert(1)" }, "redirect_uri: not registered"],
      ["one that only begins right", { redirect_uri: "https://client.example/callback?next=x" }, "not registered"],
      ["one with another path behind it", { redirect_uri: "https://client.example/callback/../x" }, "not registered"],
    ];
    /** What would otherwise be told to the client. */
    const more: Record<string, string>[] = [
      {},
      { prompt: "none" },
      { response_type: "token" },
      { scope: "none" },
      { request: "x" },
      { request_uri: "https://evil.example/" },
      { response_mode: "form_post" },
    ];

    it.each(wrong)("C1: %s", async (_title, parameters, details) => {
      const { service, client } = await prepared(current(), { redirectUris: ["https://client.example/callback"] });
      for (const asked of more) {
        const page = await new Visitor().get(authorizeUrl(service, client, { ...asked, ...parameters }));
        expect([asked, page.status, page.headers.get("location")]).toEqual([asked, 400, null]);
        expect(page.headers.get("content-type")).toContain("text/html");
        expect(page.text).toContain(details);
        expect(page.text).not.toContain("evil.example");
      }
    });

    it("C1: a disabled client", async () => {
      const { service, client } = await prepared(current());
      const by = { actor: { kind: "cli", name: "test" } } as const;
      await clients.update(service.server.app.ctx, client.id, { enabled: false }, by);
      const page = await new Visitor().get(authorizeUrl(service, client));
      expect(page.status).toBe(400);
      expect(page.headers.get("location")).toBeNull();
    });

    it.each(["client_id", "redirect_uri"])("C1: %s twice, with a foreign one", async (name) => {
      const { service, client } = await prepared(current());
      for (const query of [`&${name}=https://evil.example/`, `&${name}=`]) {
        const page = await new Visitor().get(`${authorizeUrl(service, client)}${query}`);
        expect(page.headers.get("location") ?? "").not.toMatch(/^https:\/\/evil/u);
        expect(page.headers.get("location") ?? "").not.toContain("/sign-in/");
      }
    });
  });

  describe("is told to the client", () => {
    const wrong: [title: string, parameters: Record<string, string | null>, error: string][] = [
      ["no response type", { response_type: null }, "invalid_request"],
      ["the implicit flow", { response_type: "id_token" }, "unsupported_response_type"],
      ["the hybrid flow", { response_type: "code id_token" }, "unsupported_response_type"],
      ["an unknown response mode", { response_mode: "fragment" }, "invalid_request"],
      ["no scope", { scope: null }, "invalid_scope"],
      ["only unknown scopes", { scope: "admin root" }, "invalid_scope"],
      [
        "PKCE of the method plain",
        { code_challenge: codeChallenge, code_challenge_method: "plain" },
        "invalid_request",
      ],
      [
        "PKCE of the method plain, with a verifier of 128 characters",
        { code_challenge: "v".repeat(128), code_challenge_method: "plain" },
        "invalid_request",
      ],
      ["PKCE without a method, which means plain", { code_challenge: codeChallenge }, "invalid_request"],
      ["a method without a challenge", { code_challenge_method: "S256" }, "invalid_request"],
      ["a short challenge", { code_challenge: "x", code_challenge_method: "S256" }, "invalid_request"],
      ["a request object", { request: "eyJ" }, "request_not_supported"],
      ["a foreign request_uri", { request_uri: "https://client.example/r" }, "request_uri_not_supported"],
      ["a registration", { registration: "{}" }, "registration_not_supported"],
      ["an unknown prompt", { prompt: "create" }, "invalid_request"],
      ["prompt none with another", { prompt: "none login" }, "invalid_request"],
      ["a max_age that is no number", { max_age: "-1" }, "invalid_request"],
      ["claims that are no JSON", { claims: "{" }, "invalid_request"],
      ["claims that are no object", { claims: "[]" }, "invalid_request"],
      ["NUL in a claim's name", { claims: '{"userinfo":{"a\\u0000":null}}' }, "invalid_request"],
      ["NUL in a claim's value", { claims: '{"userinfo":{"name":{"value":"\\u0000"}}}' }, "invalid_request"],
      ["half a character in a claim", { claims: '{"userinfo":{"name":{"values":["\\ud800"]}}}' }, "invalid_request"],
      ["NUL in the wanted subject", { claims: '{"id_token":{"sub":{"value":"\\u0000"}}}' }, "invalid_request"],
      ["a nonce too long", { nonce: "n".repeat(1025) }, "invalid_request"],
      ["nobody signed in, with prompt none", { prompt: "none" }, "login_required"],
    ];

    it.each(wrong)("%s", async (_title, parameters, error) => {
      const { service, client } = await prepared(current());
      const page = await new Visitor().get(authorizeUrl(service, client, parameters));
      expect(page.status).toBe(303);
      expect(`${page.location.origin}${page.location.pathname}`).toBe(client.redirectUris[0]);
      const answer = Object.fromEntries(page.location.searchParams);
      expect(answer).toEqual({ error, error_description: expect.any(String), state: "st", iss: service.url });
      for (const value of Object.values(parameters))
        if (value !== null && value.length > 4) expect(answer["error_description"]).not.toContain(value);
    });

    it("by the rule that its value breaks, not by a length", async () => {
      const { service, client } = await prepared(current());
      const long = "v".repeat(120);
      const rules: [parameters: Record<string, string>, rule: RegExp][] = [
        [{ code_challenge: long, code_challenge_method: "plain" }, /^code_challenge_method: must be S256/u],
        [{ code_challenge: long, code_challenge_method: "S256" }, /^code_challenge: must be the base64url SHA-256/u],
        [{ code_challenge: codeChallenge, code_challenge_method: "SHA256withBase64url" }, /must be S256/u],
        [{ max_age: "86400.0000000" }, /^max_age: must be a whole number/u],
        [{ max_age: "99999999999" }, /^max_age: must be a whole number/u],
      ];
      for (const [parameters, rule] of rules) {
        const { location } = await new Visitor().get(authorizeUrl(service, client, parameters));
        expect([parameters, location.searchParams.get("error_description")]).toEqual([
          parameters,
          expect.stringMatching(rule),
        ]);
      }
    });

    it("with a state of any length, of which up to 4096 characters are kept", async () => {
      const { service, client, email } = await prepared(current());
      const state = `${"s".repeat(4095)}+`;
      const done = await authorize(service, client, { email }, { state });
      expect(done.location.searchParams.get("state")).toBe(state);
      for (const sent of [state, `${state}.`, "x".repeat(6000)]) {
        const wrong = { state: sent, ...(sent === state && { max_age: "-1" }) };
        const { location } = await new Visitor().get(authorizeUrl(service, client, wrong));
        expect(location.searchParams.get("error")).toBe("invalid_request");
        expect(location.searchParams.get("state")).toBe(sent);
        const description = location.searchParams.get("error_description");
        expect(description).toBe(
          sent === state ? "max_age: must be a whole number of seconds" : "state: at most 4096 characters",
        );
      }
    });

    it("by a redirect, if it asks to post a form to the scheme of an app, which no browser can", async () => {
      const { service, client } = await prepared(current(), { kind: "native", redirectUris: ["com.example.app:/cb"] });
      const pkce = { code_challenge: codeChallenge, code_challenge_method: "S256" };
      const page = await new Visitor().get(authorizeUrl(service, client, { response_mode: "form_post", ...pkce }));
      expect([page.status, page.location.protocol]).toEqual([303, "com.example.app:"]);
      expect(Object.fromEntries(page.location.searchParams)).toMatchObject({
        error: "invalid_request",
        error_description: "response_mode: form_post requires an http or https redirect_uri",
      });
    });

    it("by a posted form, if it asked for that", async () => {
      const { service, client } = await prepared(current());
      const url = authorizeUrl(service, client, { response_mode: "form_post", scope: null });
      const page = await new Visitor().get(url);
      expect(page.form("/callback").fields).toMatchObject({ error: "invalid_scope", state: "st", iss: service.url });
    });

    it("by a redirect, if it asked for a form at an address that takes none", async () => {
      const redirectUris = ["com.example.app:/callback"];
      const { service, client } = await prepared(current(), { kind: "native", redirectUris });
      const page = await new Visitor().get(authorizeUrl(service, client, { response_mode: "form_post" }));
      expect([page.status, page.location.protocol]).toEqual([303, "com.example.app:"]);
      expect(page.location.searchParams.get("error")).toBe("invalid_request");
    });

    it("a parameter that is given twice", async () => {
      const { service, client } = await prepared(current());
      const page = await new Visitor().get(`${authorizeUrl(service, client)}&nonce=a&nonce=b`);
      expect(page.location.searchParams.get("error")).toBe("invalid_request");
    });
  });

  it("ignores parameters that it does not know, repeated ones too", async () => {
    const { service, client } = await prepared(current());
    const page = await new Visitor().get(`${authorizeUrl(service, client)}&foo=1&foo=2&resource[]=x&display=page`);
    expect(page.location.pathname).toMatch(/^\/sign-in\//u);
  });

  it("C3: requires PKCE of programs without a secret, and where the client says so", async () => {
    const service = current();
    for (const changes of [{ kind: "spa" }, { kind: "native" }, { requirePkce: true }] as const) {
      const { client } = await prepared(service, changes);
      const refused = await new Visitor().get(authorizeUrl(service, client));
      expect(refused.location.searchParams.get("error")).toBe("invalid_request");
      const withPkce = { code_challenge: codeChallenge, code_challenge_method: "S256" };
      const accepted = await new Visitor().get(authorizeUrl(service, client, withPkce));
      expect(accepted.location.pathname).toMatch(/^\/sign-in\//u);
    }
  });

  it("C7: grants no scope that the client does not have, or its application has no longer", async () => {
    const { service, party } = await withParty(current(), { scopes: ["openid", "email"] });
    const granted = async () => (await tokensFor(service, party, { scope: "openid profile email groups" }))["scope"];
    expect(await granted()).toBe("openid email");
    await updateApp(service, party.app, { settings: { scopes: ["profile"] } });
    expect(await granted()).toBe("openid");
  });

  it("lets native programs choose the port of a loopback address, and nothing else of it", async () => {
    const service = current();
    const redirectUris = ["http://127.0.0.1/callback"];
    const pkce = { code_challenge: codeChallenge, code_challenge_method: "S256" };
    const { client } = await prepared(service, { kind: "native", redirectUris });
    const { client: web } = await prepared(service, { redirectUris });
    const start = async (asking: typeof client, uri: string) =>
      (await new Visitor().get(authorizeUrl(service, asking, { ...pkce, redirect_uri: uri }))).status;
    expect(await start(client, "http://127.0.0.1:51234/callback")).toBe(303);
    expect(await start(web, "http://127.0.0.1:51234/callback")).toBe(400);
    for (const uri of [
      "http://127.0.0.1:51234/other",
      "http://127.0.0.1:51234/callback?x=1",
      "http://127.0.0.1:51234@evil.example/callback",
      "http://127.0.0.1.evil.example/callback",
      "http://127.0.0.1:99999/callback",
      "http://localhost:51234/callback",
      "https://127.0.0.1:51234/callback",
    ])
      expect(await start(client, uri), uri).toBe(400);
  });

  it("answers a POST with the same request as a GET, which carries the cookies", async () => {
    const { service, client } = await prepared(current());
    const url = new URL(authorizeUrl(service, client, { state: "a b&c" }));
    const visitor = new Visitor();
    const fields = Object.fromEntries(url.searchParams);
    const page = await visitor.post(`${service.url}${url.pathname}`, fields, { "sec-fetch-site": "cross-site" });
    expect(page.status).toBe(303);
    expect(page.location.origin).toBe(service.url);
    expect(Object.fromEntries(page.location.searchParams)).toEqual(fields);
    expect((await visitor.get(page.location.href)).location.pathname).toMatch(/^\/sign-in\//u);
  });
});
