import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { codeChallenge, codeVerifier, authorizeUrl } from "../support/openid.ts";
import {
  applicationParty,
  basic,
  codeFor,
  newParty,
  post,
  refreshWith,
  tokensFor,
  userInfo,
} from "../support/openid-tokens.ts";
import { call, redeem, refresh, signIn, validate, Visitor, type Page } from "../support/person.ts";
import { describeSqliteFirst, describeOnSqlite } from "../support/service.ts";

const challenged = { code_challenge: codeChallenge, code_challenge_method: "S256" };
const offline = { scope: "openid profile email offline_access" };
const evil = "https://evil.example/";

/** Whether the browser is sent away from the service. */
const leaves = (page: Page, url: string) => {
  const to = page.headers.get("location");
  return to !== null && new URL(to, url).origin !== new URL(url).origin;
};

describeSqliteFirst("an OpenID Connect code", (current) => {
  it("C2: buys nothing with another client, redirect URI or code verifier, and is gone after that", async () => {
    const service = current();
    const party = await newParty(service);
    const sibling = await newParty(service, {}, party.app);
    const stranger = await newParty(service);
    const application = { ...(await applicationParty(service)), app: party.app };
    application.client = { ...application.client, id: party.app.id };
    application.secret = party.app.apiKey;
    const wrong: [what: string, form: Record<string, string>, by: typeof party][] = [
      ["another client of the application", {}, sibling],
      ["a client of another application", {}, stranger],
      ["the application itself", {}, application],
      ["another redirect URI", { redirect_uri: evil }, party],
      ["no redirect URI", { redirect_uri: "" }, party],
      ["another verifier", { code_verifier: "w".repeat(64) }, party],
      ["no verifier", { code_verifier: "" }, party],
    ];
    for (const [what, fields, by] of wrong) {
      const right = { ...(await codeFor(service, party, challenged)), code_verifier: codeVerifier };
      const refused = await post(service, "/oauth2/token", { ...right, ...fields }, basic(by));
      expect([what, refused.status, refused.body["error"]]).toEqual([what, 400, "invalid_grant"]);
    }
    const right = { ...(await codeFor(service, party, challenged)), code_verifier: codeVerifier };
    expect((await post(service, "/oauth2/token", right, basic(party))).status).toBe(200);
  });

  it("C2, S3: of 50 parallel redemptions one gets tokens, and the others end them", async () => {
    const service = current();
    const party = await newParty(service);
    const form = await codeFor(service, party, offline);
    const all = await Promise.all(
      Array.from({ length: 50 }, async () => await post(service, "/oauth2/token", form, basic(party))),
    );
    const won = all.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const { status, body } of all)
      if (status !== 200) expect([status, body["error"]]).toEqual([400, "invalid_grant"]);
    for (const { body } of won) {
      expect((await userInfo(service, String(body["access_token"]))).status).toBe(401);
      expect((await refreshWith(service, party, String(body["refresh_token"]))).status).toBe(400);
    }
  });
});

describeOnSqlite("attacks on the OpenID Connect provider", (current) => {
  it("C1: authorize sends nobody away while client or redirect URI is wrong, whatever else is asked", async () => {
    const service = current();
    const { client } = await newParty(service);
    const wrong: Record<string, string | null>[] = [
      { client_id: "cli_unknown" },
      { client_id: null },
      { redirect_uri: evil },
      { redirect_uri: null },
      { redirect_uri: `${client.redirectUris[0]}?next=${evil}` },
      { redirect_uri: `${client.redirectUris[0]}/../x` },
      { redirect_uri: client.redirectUris[0]?.toUpperCase() ?? null },
    ];
    const asked: Record<string, string>[] = [
      {},
      { prompt: "none" },
      { response_type: "token" },
      { scope: "none" },
      { request: "x" },
      { request_uri: evil },
      { response_mode: "form_post" },
    ];
    for (const mistake of wrong) {
      for (const more of asked) {
        const page = await new Visitor().get(authorizeUrl(service, client, { ...more, ...mistake }));
        expect([mistake, more, page.status, leaves(page, service.url)]).toEqual([mistake, more, 400, false]);
        expect(page.text).not.toContain(`action="${evil}`);
      }
    }
  });

  it("C3: a code that was asked for without a challenge takes no verifier, and a challenge is S256", async () => {
    const service = current();
    const party = await newParty(service);
    const form = await codeFor(service, party);
    const refused = await post(service, "/oauth2/token", { ...form, code_verifier: codeVerifier }, basic(party));
    expect([refused.status, refused.body["error"]]).toEqual([400, "invalid_grant"]);
    for (const method of ["plain", "s256", "none", null]) {
      const plain = { code_challenge: codeChallenge, code_challenge_method: method };
      const page = await new Visitor().get(authorizeUrl(service, party.client, plain));
      expect([method, page.location.searchParams.get("error")]).toEqual([method, "invalid_request"]);
    }
  });

  it("C4: iss stands in every response, a refusal included, and is the configured one", async () => {
    const service = current();
    const party = await newParty(service);
    const answers = [
      await new Visitor().get(authorizeUrl(service, party.client, { prompt: "none" })),
      await new Visitor().get(authorizeUrl(service, party.client, { response_type: "token" })),
      await new Visitor().get(authorizeUrl(service, party.client, { scope: "none" })),
    ];
    const visitor = new Visitor();
    const start = await visitor.get(authorizeUrl(service, party.client));
    answers.push(await visitor.get(`${start.location.href}/cancel`));
    for (const { location } of answers) {
      expect(location.searchParams.getAll("iss")).toEqual([service.url]);
      expect(location.searchParams.has("error")).toBe(true);
    }
    const { headers } = await new Visitor().get(authorizeUrl(service, party.client), { host: "evil.example" });
    expect(headers.get("location") ?? "").not.toContain("evil");
  });

  it("C5: a secret counts in the header or the form, not in the URL, not twice, and not of a disabled client", async () => {
    const service = current();
    const party = await newParty(service);
    const { client, secret } = party;
    const form = await codeFor(service, party);
    const inUrl = `/oauth2/token?client_id=${client.id}&client_secret=${secret}`;
    expect((await post(service, inUrl, form)).status).toBe(401);
    const twice = await post(service, "/oauth2/token", { ...form, client_secret: secret }, basic(party));
    expect([twice.status, twice.body["error"]]).toEqual([400, "invalid_request"]);
    const { storage } = service.server.app;
    const tokens = await tokensFor(service, party, offline);
    await storage.write(async ({ db, tables }) => {
      await db.update(tables.clients).set({ disabledAt: service.clock.now });
    });
    const disabled = await post(service, "/oauth2/token", form, basic(party));
    expect([disabled.status, disabled.body["error"]]).toEqual([401, "invalid_client"]);
    expect((await refreshWith(service, party, tokens.refresh_token)).status).toBe(401);
  });

  it("C6: a refresh token is of use to its client alone, also to be asked about or revoked", async () => {
    const service = current();
    const party = await newParty(service);
    const others = [await newParty(service, {}, party.app), await newParty(service)];
    const tokens = await tokensFor(service, party, offline);
    for (const other of others) {
      expect((await refreshWith(service, other, tokens.refresh_token)).body["error"]).toBe("invalid_grant");
      expect((await post(service, "/oauth2/revoke", { token: tokens.refresh_token }, basic(other))).status).toBe(200);
    }
    const asked = { token: tokens.refresh_token };
    expect((await post(service, "/oauth2/introspect", asked, basic(others[1] ?? party))).body).toEqual({
      active: false,
    });
    // Not by the contract's door either, with the application's own key.
    expect((await refresh(service, party.app, tokens.refresh_token)).status).toBe(401);
    expect((await refreshWith(service, party, tokens.refresh_token)).status).toBe(200);
  });

  it("C7: single sign-on stays within the application, and prompt=none takes no consent for granted", async () => {
    const service = current();
    const party = await newParty(service);
    const visitor = new Visitor();
    await codeFor(service, party, {}, visitor);
    const asking = await newParty(service, { consent: "ask" }, party.app);
    const elsewhere = await newParty(service);
    for (const [client, error] of [
      [asking.client, "consent_required"],
      [elsewhere.client, "login_required"],
    ] as const) {
      const page = await visitor.get(authorizeUrl(service, client, { prompt: "none" }));
      expect(Object.fromEntries(page.location.searchParams)).toMatchObject({ error, iss: service.url });
      expect(page.location.searchParams.has("code")).toBe(false);
    }
  });

  it("C8: sign-in, consent and logout pages stand in no frame", async () => {
    const service = current();
    const { client, email } = await newParty(service, { consent: "ask" });
    const visitor = new Visitor();
    const start = await visitor.get(authorizeUrl(service, client));
    const signInPage = await visitor.get(start.location.href);
    const password = "correct horse battery staple";
    const proven = await visitor.submit(signInPage, "/password", { email, password });
    const consentPage = await visitor.get(proven.location.href);
    expect(consentPage.text).toContain("/step/consent");
    await visitor.submit(consentPage, "/step/consent", {});
    const logoutPage = await visitor.get(`${service.url}/oauth2/end-session?client_id=${client.id}`);
    expect(logoutPage.text).toContain("/end-session/confirm");
    for (const page of [signInPage, consentPage, logoutPage]) {
      expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(page.headers.get("x-frame-options")).toBe("DENY");
    }
  });

  it("C9: a foreign page signs nobody out: without a fitting ID token the person is asked", async () => {
    const service = current();
    const party = await newParty(service);
    const stranger = await newParty(service, {}, party.app);
    const visitor = new Visitor();
    await codeFor(service, party, {}, visitor);
    const foreign = await tokensFor(service, stranger);
    const { id: clientId } = party.client;
    const isSignedIn = async () => {
      const page = await visitor.get(authorizeUrl(service, party.client, { prompt: "none" }));
      return page.location.searchParams.has("code");
    };
    const tries: Record<string, string>[] = [{ client_id: clientId }, { id_token_hint: foreign.id_token }];
    for (const fields of tries) {
      const query = new URLSearchParams(fields).toString();
      const page = await visitor.get(`${service.url}/oauth2/end-session?${query}`, { "sec-fetch-site": "cross-site" });
      expect([page.status, await isSignedIn()]).toEqual([200, true]);
    }
    // Nor does a form on another site press the button.
    const headers = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const confirm = `${service.url}/oauth2/end-session/confirm?client_id=${clientId}`;
    const pressed = await visitor.post(confirm, {}, headers);
    expect([pressed.status >= 400, await isSignedIn()]).toEqual([true, true]);
    const away = new URLSearchParams({ client_id: clientId, post_logout_redirect_uri: evil });
    const page = await visitor.get(`${service.url}/oauth2/end-session?${away.toString()}`);
    expect([page.status, leaves(page, service.url), await isSignedIn()]).toEqual([400, false, true]);
  });

  it("C10: no token stands in for another", async () => {
    const service = current();
    const party = await newParty(service);
    const {
      access_token: access,
      id_token: id,
      refresh_token: refreshToken,
    } = await tokensFor(service, party, offline);
    expect(decodeJwt(id).aud).toBe(party.client.id);
    for (const wrong of [id, refreshToken]) {
      expect((await userInfo(service, wrong)).status).toBe(401);
      expect((await validate(service, party.app, wrong)).status).toBe(401);
    }
    for (const wrong of [id, access]) expect((await refreshWith(service, party, wrong)).status).toBe(400);
    const hinted = await new Visitor().get(`${service.url}/oauth2/end-session?id_token_hint=${access}`);
    expect(hinted.status).toBe(400);
    // A token of the contract was never granted openid.
    const contract = await redeem(service, party.app, await signIn(service, party.app, party));
    const narrow = await userInfo(service, contract.accessToken);
    expect([narrow.status, narrow.body["error"]]).toEqual([403, "insufficient_scope"]);
    expect((await call(service, "GET", `/oauth2/userinfo?access_token=${access}`, {})).status).toBe(401);
  });
});
