import { createRemoteJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import { createClient } from "../../support/clients-logout.ts";
import { discovered, relyingParty } from "../../support/openid-plan.ts";
import { newParty, type Party } from "../../support/openid-tokens.ts";
import { Visitor, type Page } from "../../support/person.ts";
import { startReceiver, until, type Receiver } from "../../support/receiver.ts";
import { useApp, describeOnSqlite, type TestService } from "../../support/service.ts";
import { localWebhooks } from "../../support/webhooks.ts";

const returnsTo = "https://client.example/signed-out";

/** Signs out at the logout endpoint; presses the button if the page asks. */
async function logOut(service: TestService, visitor: Visitor, parameters: Record<string, string>) {
  const { end_session_endpoint: endpoint } = await discovered(service);
  const page = await visitor.get(`${endpoint}?${new URLSearchParams(parameters).toString()}`);
  const action = /<form\b[^>]*\baction="([^"]*end-session\/confirm[^"]*)"/u.exec(page.text)?.[1];
  if (action === undefined) return { page, wasAsked: false };
  return { page: await visitor.submit(page, action, {}), wasAsked: true };
}

const isRedirect = (page: Page) => page.headers.get("location") !== null;
const isErrorPage = (page: Page) => page.status === 400 && !isRedirect(page);

// Modules of the OpenID Foundation's suite, by their names (docs/openid-conformance.md).
describeOnSqlite("oidcc-rp-initiated-logout-certification-test-plan", (current) => {
  const app = useApp(current);

  /** A browser in which somebody signed in. */
  async function signedIn() {
    const party = await newParty(current(), { postLogoutRedirectUris: [returnsTo] }, app);
    const rp = relyingParty(current(), party);
    const visitor = new Visitor();
    const { tokens } = await rp.signIn({}, visitor);
    return {
      party,
      visitor,
      hint: tokens.id_token,
      /** As the suite asks: without a page. */
      isSignedIn: async () =>
        (await rp.authorize({ prompt: "none" }, visitor)).parameters["error"] !== "login_required",
    };
  }

  it("oidcc-rp-initiated-logout-discovery-endpoint-verification", async () => {
    expect((await discovered(current())).end_session_endpoint).toBe(`${current().url}/oauth2/end-session`);
  });

  const left: [module: string, asks: boolean, names: ("id_token_hint" | "post_logout_redirect_uri" | "state")[]][] = [
    ["oidcc-rp-initiated-logout", false, ["id_token_hint", "post_logout_redirect_uri", "state"]],
    ["oidcc-rp-initiated-logout-no-params", true, []],
    ["oidcc-rp-initiated-logout-only-state", true, ["state"]],
    ["oidcc-rp-initiated-logout-no-post-logout-redirect-uri", false, ["id_token_hint", "state"]],
    ["oidcc-rp-initiated-logout-no-state", false, ["id_token_hint", "post_logout_redirect_uri"]],
  ];
  it.each(left)("%s", async (_module, asks, names) => {
    const { visitor, hint, isSignedIn } = await signedIn();
    expect(await isSignedIn()).toBe(true);
    const all = { id_token_hint: hint, post_logout_redirect_uri: returnsTo, state: "s-1" };
    const parameters = Object.fromEntries(names.map((name) => [name, all[name]]));
    const { page, wasAsked } = await logOut(current(), visitor, parameters);
    expect(wasAsked).toBe(asks);
    if (!names.includes("post_logout_redirect_uri")) expect(page.location.pathname).toBe("/account/signed-out");
    else expect(page.location.href).toBe(names.includes("state") ? `${returnsTo}?state=s-1` : returnsTo);
    expect(await isSignedIn()).toBe(false);
  });

  it("oidcc-rp-initiated-logout-no-id-token-hint", async () => {
    const { party, visitor, isSignedIn } = await signedIn();
    const parameters = { post_logout_redirect_uri: returnsTo, state: "s-1" };
    // Without a client nobody knows whose address it is.
    expect(isErrorPage((await logOut(current(), visitor, parameters)).page)).toBe(true);
    expect(await isSignedIn()).toBe(true);
    const { page, wasAsked } = await logOut(current(), visitor, { ...parameters, client_id: party.client.id });
    expect([wasAsked, page.location.href]).toEqual([true, `${returnsTo}?state=s-1`]);
    expect(await isSignedIn()).toBe(false);
  });

  const modified = (hint: string) => {
    const [header = "", payload = "", signature = ""] = hint.split(".");
    return [header, payload, `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`].join(".");
  };
  const refused: [module: string, parameters: (hint: string) => Record<string, string>][] = [
    [
      "oidcc-rp-initiated-logout-bad-id-token-hint",
      () => ({ id_token_hint: "bad", post_logout_redirect_uri: returnsTo }),
    ],
    [
      "oidcc-rp-initiated-logout-modified-id-token-hint",
      (hint) => ({ id_token_hint: modified(hint), post_logout_redirect_uri: returnsTo }),
    ],
    [
      "oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
      (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: "https://client.example/other" }),
    ],
    [
      "oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
      (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${returnsTo}?foo=bar` }),
    ],
  ];
  it.each(refused)("%s", async (_module, parameters) => {
    const { visitor, hint, isSignedIn } = await signedIn();
    const { page } = await logOut(current(), visitor, { ...parameters(hint), state: "s-1" });
    expect(isErrorPage(page)).toBe(true);
    expect(page.text).not.toContain(returnsTo);
    expect(await isSignedIn()).toBe(true);
  });
});

describeOnSqlite("oidcc-backchannel-rp-initiated-logout-certification-test-plan", localWebhooks, (current) => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.stop();
  });

  it("oidcc-backchannel-logout-discovery-endpoint-verification", async () => {
    const metadata = await discovered(current());
    expect(metadata).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
  });

  it("oidcc-backchannel-rp-initiated-logout", async () => {
    const party = await backchannelParty();
    const rp = relyingParty(current(), party);
    const visitor = new Visitor();
    const { tokens, idToken } = await rp.signIn({}, visitor);
    const parameters = { id_token_hint: tokens.id_token, post_logout_redirect_uri: returnsTo, state: "s-1" };
    expect((await logOut(current(), visitor, parameters)).page.location.href).toBe(`${returnsTo}?state=s-1`);
    await until(() => receiver.received.length === 1);
    const [received] = receiver.received;
    expect(received?.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    const logoutToken = new URLSearchParams(received?.text).get("logout_token") ?? "";
    const { jwks_uri: keys } = await discovered(current());
    const { payload } = await jwtVerify(logoutToken, createRemoteJWKSet(new URL(keys)), {
      issuer: current().url,
      audience: party.client.id,
      algorithms: ["RS256"],
      typ: "logout+jwt",
      requiredClaims: ["iat", "exp", "jti", "events"],
      currentDate: new Date(current().clock.now),
    });
    expect(payload).toMatchObject({
      sub: idToken.sub,
      sid: idToken["sid"],
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    });
    expect(payload).not.toHaveProperty("nonce");
    const silent = await rp.authorize({ prompt: "none" }, visitor);
    expect(silent.parameters["error"]).toBe("login_required");
  });

  /** A client that wants logout tokens. */
  async function backchannelParty(): Promise<Party> {
    const party = await newParty(current());
    const redirectUris = ["https://wiki.example/callback"];
    const id = await createClient(current(), party.app, {
      redirectUris,
      postLogoutRedirectUris: [returnsTo],
      backchannelLogoutUri: receiver.url,
    });
    const { ctx } = current().server.app;
    const { secret } = await clientSecrets.createSecret(ctx, { clientId: id }, { kind: "cli", name: "test" });
    return { ...party, client: { ...party.client, id, redirectUris }, secret };
  }
});
