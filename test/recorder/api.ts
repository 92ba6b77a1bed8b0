import { Visitor } from "../support/person.ts";
import type { Filled } from "./fill.ts";
import { basic, headersOf, password } from "./people.ts";
import type { Recording } from "./recording.ts";

type Json = Record<string, unknown>;

/** Every route of the API document, and acts of the hosted pages. Returns the routes not called. */
export async function recordApi(recording: Recording, filled: Filled): Promise<string[]> {
  const { people, shop, secrets, bob } = filled;
  const { act, url, receiverUrl } = recording;
  const called = new Set<string>();
  const server = headersOf(shop);

  const send = async (
    title: string,
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: unknown,
  ) =>
    await act(title, async () => {
      called.add(`${method} ${path.split("?")[0]}`);
      return await people.call(method, path, headers, body);
    });
  /** With what is right, and without credentials. */
  const both = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    await send(`${method} ${titleOf(path)} without credentials`, method, path, {}, body);
    return await send(
      `${method} ${titleOf(path)}${body === undefined ? "" : ` ${titleOf(String(body instanceof URLSearchParams ? body : JSON.stringify(body)))}`}`,
      method,
      path,
      headers,
      body,
    );
  };
  let user: Record<string, string> = {};
  let tokens = { accessToken: "", refreshToken: "", user: { id: "" } };
  const visitor = new Visitor();
  const again = async (email: string, more: Json = {}): Promise<void> => {
    const got = await act(
      `${email} signs in by password ${JSON.stringify(more)}`,
      async () => await people.signIn(shop, email, visitor, more),
    );
    if (got) tokens = got;
    user = { authorization: `Bearer ${tokens.accessToken}`, "x-service-app-id": shop.id };
  };

  for (const path of [
    "/.well-known/openid-configuration",
    "/.well-known/oauth-authorization-server",
    "/.well-known/jwks.json",
    "/.well-known/passkey-endpoints",
    "/openapi.json",
    "/healthz",
    "/readyz",
  ])
    await send(`GET ${path}`, "GET", path);

  await both("POST", "/auth/initiate", server, { redirectUri: shop.redirectUri, state: "s", scopes: ["profile"] });
  await both("POST", "/auth/initiate", server, { redirectUri: "https://elsewhere.example/" });
  await act("POST /auth/callback with a code used twice", async () => {
    called.add("POST /auth/callback");
    const session = await people.initiate(shop);
    const browser = new Visitor();
    const page = await browser.submit(await browser.get(session.authUrl), "/password", {
      email: "ada@example.org",
      password,
    });
    await people.redeem(shop, session, page);
    await people.redeem(shop, session, page).catch(() => {});
  });
  await act("a wrong password", async () => {
    const session = await people.initiate(shop);
    const browser = new Visitor();
    await browser.submit(await browser.get(session.authUrl), "/password", {
      email: "ada@example.org",
      password: "wrong",
    });
  });
  await act("a disabled user signs in", async () => {
    const session = await people.initiate(shop);
    const browser = new Visitor();
    await browser.submit(await browser.get(session.authUrl), "/password", { email: "eve@example.org", password });
  });
  await again("ada@example.org");
  await both("GET", "/auth/validate", user);
  await both("GET", `/auth/verify-token?app_id=${shop.id}&token=${tokens.accessToken}`, {});
  await both("GET", `/api/user?token=${tokens.accessToken}`, {});
  await both("GET", `/api/config?app_id=${shop.id}`, {});
  const refreshed = await both("POST", "/auth/refresh", server, { refreshToken: tokens.refreshToken });
  await send("refresh again, a minute later", "POST", "/auth/refresh", server, {
    refreshToken: String(refreshed?.body["refreshToken"]),
  });
  recording.wait(300_000);
  await send("refresh with a token used before", "POST", "/auth/refresh", server, {
    refreshToken: tokens.refreshToken,
  });
  await both("GET", "/auth/revocations", server);
  await again("ada@example.org");
  await both("POST", "/auth/logout", user, { refreshToken: tokens.refreshToken });
  await again("ada@example.org", { scopes: ["email"] });
  await both("GET", "/users/profile", user);
  await again("ada@example.org");
  await both("GET", "/users/profile", user);
  await both("PATCH", "/users/profile", user, { name: "Ada L", picture: "https://app.example/ada.png", locale: "de" });
  await both("PATCH", "/users/profile", user, { name: "Ada L" });
  await both("PATCH", "/users/profile", user, { name: 5 });
  await both("GET", "/users/auth-methods", user);
  await both("POST", "/users/auth-methods", user, { type: "passkey", redirectUri: shop.redirectUri });
  await both("POST", "/users/auth-methods", user, { type: "oauth", provider: "google", redirectUri: shop.redirectUri });
  await both("DELETE", "/users/auth-methods/mth_unknown", user);
  await act("ada adds a passkey, and removes it", async () => {
    called.add("DELETE /users/auth-methods/x");
    const { body } = await people.call("POST", "/users/auth-methods", user, {
      type: "passkey",
      redirectUri: shop.redirectUri,
    });
    let page = await visitor.get(String(body["authUrl"]));
    if (!page.text.includes("/add/passkey"))
      page = await people.follow(
        visitor,
        await visitor.submit(page, "/password", { email: "ada@example.org", password }),
      );
    const asked = await people.options(visitor, page, "/add/passkey");
    const { attest, newPasskey } = await import("../support/authenticator.ts");
    const passkey = newPasskey("ES256", asked.user?.id);
    const credential = attest(passkey, { challenge: asked.challenge, origin: url });
    await visitor.submit(page, "/add/passkey", { credential: JSON.stringify(credential) });
    const methods = (await people.call("GET", "/users/auth-methods", user)).body["methods"] as {
      id: string;
      type: string;
    }[];
    for (const { id, type } of methods)
      if (type === "passkey") await people.call("DELETE", `/users/auth-methods/${id}`, user);
  });

  const app = `/applications/${shop.id}`;
  await both("GET", app, server);
  for (const change of [
    { authMethods: { passkey: { enabled: true } } },
    { name: "Shop" },
    { branding: { primaryColor: "#1d4ed8", companyName: "Acme" } },
    { settings: { sessionTimeoutMinutes: 60 } },
    { settings: { passwordMinLength: 10, secondFactor: "optional" } },
    { redirectUris: [shop.redirectUri, "https://shop.example/two"] },
    { domain: "x" },
    { unknown: 1 },
  ])
    await both("PATCH", app, server, change);
  for (const [method, path, body] of [
    ["PUT", "/groups/vips"],
    ["PUT", "/groups/vips", { secondFactor: "always" }],
    ["PUT", "/groups/vips", { secondFactor: "required" }],
    ["PUT", "/groups/-"],
    ["PUT", `/groups/vips/members/${tokens.user.id}`, {}],
    ["PUT", "/groups/vips/members/usr_unknown", {}],
    ["GET", "/groups"],
    ["GET", "/groups/vips"],
    ["GET", "/groups/vips/members"],
    ["GET", "/groups/vips/members?limit=0"],
    ["GET", `/users/${tokens.user.id}/groups`],
    ["DELETE", `/groups/vips/members/${tokens.user.id}`],
    ["DELETE", "/groups/vips"],
    ["GET", "/groups/vips"],
    ["PATCH", `/users/${tokens.user.id}/metadata`, { public: { plan: "pro" }, private: { customer: 1 } }],
    ["PATCH", `/users/${tokens.user.id}/metadata`, { public: [] }],
    ["GET", `/users/${tokens.user.id}/metadata`],
    ["GET", "/users"],
    ["GET", "/users?limit=1"],
    ["GET", "/users?limit=0"],
    ["POST", "/users", { email: "ken@example.org", name: "Ken" }],
    ["POST", "/users", { email: "ken@example.org" }],
  ] as [string, string, unknown?][])
    await both(method, app + path, server, body);
  const ken = (
    await people.call("POST", `${app}/users`, server, { email: "kim@example.org", name: "Kim", emailVerified: true })
  ).body["id"];
  const them = `${app}/users/${String(ken)}`;
  for (const [method, path, body] of [
    ["GET", them],
    ["PATCH", them, { name: "Kimberly", picture: "https://app.example/kim.png" }],
    ["PATCH", them, { email: "kimberly@example.org" }],
    ["PATCH", them, { emailVerified: true }],
    ["PATCH", them, { email: "nonsense" }],
    ["PATCH", them, { email: "ada@example.org" }],
    ["PATCH", them, { disabled: true }],
    ["PATCH", them, { disabled: false }],
    ["GET", `${them}/factors`],
    ["GET", `${them}/auth-methods`],
    ["GET", `${them}/personal-tokens`],
    ["DELETE", `${them}/personal-tokens/ptk_unknown`],
    ["POST", `${them}/logout`],
    ["DELETE", them],
    ["GET", them],
  ] as [string, string, unknown?][])
    await both(method, path, server, body);
  const bobs = `${app}/users/${bob?.user.id ?? ""}`;
  await act(
    "bob signs in with a code, and trusts the browser",
    async () => await people.signInWithCode(shop, "bob@example.org", bob?.key ?? ""),
  );
  await act("bob signs in with a recovery code", async () => {
    const browser = new Visitor();
    const session = await people.initiate(shop);
    const page = await browser.submit(await browser.get(session.authUrl), "/password", {
      email: "bob@example.org",
      password,
    });
    const done = await browser.submit(await people.follow(browser, page), "/step/code", { code: bob?.codes[0] ?? "" });
    const left = await people.follow(browser, done);
    await people.redeem(shop, session, await browser.submit(left, "/step/continue", {}));
  });
  await act("bob gives a wrong code", async () => {
    const browser = new Visitor();
    const session = await people.initiate(shop);
    const page = await browser.submit(await browser.get(session.authUrl), "/password", {
      email: "bob@example.org",
      password,
    });
    await browser.submit(await people.follow(browser, page), "/step/code", { code: "AAAAA" });
  });
  await act(
    "carl signs in by passkey",
    async () => filled.carl && (await people.signInByPasskey(shop, filled.carl.passkey)),
  );
  await both("GET", `${bobs}/factors`, server);
  await both("GET", `${bobs}/auth-methods`, server);
  await both("DELETE", `${bobs}/factors`, server);
  await both("DELETE", `${app}/users/usr_unknown/factors`, server);
  const carls = `${app}/users/${filled.carl?.user.id ?? ""}/auth-methods`;
  const listed = (await both("GET", carls, server))?.body["methods"] as { id: string }[] | undefined;
  await both("DELETE", `${carls}/${listed?.[0]?.id ?? ""}`, server);
  await both("POST", `${bobs}/logout`, server);

  const hook = { url: `${receiverUrl}/api`, events: ["user.login"], secret: "0123456789abcdef0123" };
  const endpoint = (await both("POST", "/webhooks/endpoints", server, hook))?.body["id"];
  await both("POST", "/webhooks/endpoints", server, { ...hook, url: "ftp://x" });
  const one = `/webhooks/endpoints/${String(endpoint)}`;
  for (const [method, path, body] of [
    ["GET", "/webhooks/endpoints"],
    ["GET", one],
    ["PATCH", one, { events: ["user.login", "user.logout"], enabled: true }],
    ["PATCH", one, { secret: "abcdef0123456789abcd" }],
    ["POST", `${one}/test`],
    ["DELETE", one],
    ["GET", one],
  ] as [string, string, unknown?][])
    await both(method, path, server, body);

  const oauth = async (
    title: string,
    path: string,
    headers: Record<string, string>,
    fields: Record<string, string>,
  ) => {
    called.add(`POST ${path}`);
    return await act(
      `${path}: ${title}`,
      async () => (await people.call("POST", path, headers, people.form(fields))).body,
    );
  };
  const web = basic("web", secrets["web"] ?? "");
  const code = await act(
    "the web client gets a code",
    async () => await people.openIdCode({ id: "web", redirectUri: "https://web.example/cb" }, "ada@example.org"),
  );
  const set = (await oauth("a code of the web client", "/oauth2/token", web, code ?? {})) as
    | Record<string, string>
    | undefined;
  await oauth("the code again", "/oauth2/token", web, code ?? {});
  const second = await act(
    "the web client gets a code for a resource",
    async () =>
      await people.openIdCode({ id: "web", redirectUri: "https://web.example/cb" }, "ada@example.org", {
        resource: "https://api.shop.example",
        scope: "openid offline_access read",
      }),
  );
  const forApi = (await oauth("a code for a resource", "/oauth2/token", web, second ?? {})) as
    | Record<string, string>
    | undefined;
  const renewed = await oauth("refresh", "/oauth2/token", web, {
    grant_type: "refresh_token",
    refresh_token: forApi?.["refresh_token"] ?? "",
  });
  const third = await act(
    "the web client gets a third code",
    async () => await people.openIdCode({ id: "web", redirectUri: "https://web.example/cb" }, "ada@example.org"),
  );
  const live = (await oauth("a third code", "/oauth2/token", web, third ?? {})) as Record<string, string> | undefined;
  const bearer = { authorization: `Bearer ${live?.["access_token"]}` };
  await both("GET", "/oauth2/userinfo", bearer);
  await both("POST", "/oauth2/userinfo", bearer);
  for (const token of [
    set?.["access_token"],
    live?.["access_token"],
    live?.["refresh_token"],
    String(renewed?.["access_token"]),
    "unknown",
  ])
    await oauth(`introspect ${token === "unknown" ? token : ""}`, "/oauth2/introspect", web, { token: token ?? "" });
  const machine = basic("machine", secrets["machine"] ?? "");
  await oauth("a machine", "/oauth2/token", machine, {
    grant_type: "client_credentials",
    resource: "https://api.shop.example",
  });
  await oauth("an exchange", "/oauth2/token", machine, {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token: String(renewed?.["access_token"]),
    resource: "https://archive.shop.example",
  });
  await oauth("an unknown grant", "/oauth2/token", web, { grant_type: "password" });
  await oauth("wrong secret", "/oauth2/token", basic("web", "wrong"), { grant_type: "client_credentials" });
  const device = (await oauth(
    "a device",
    "/oauth2/device_authorization",
    {},
    { client_id: "device", scope: "openid profile offline_access" },
  )) as Record<string, string> | undefined;
  await oauth(
    "a device that waits",
    "/oauth2/token",
    {},
    {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: "device",
      device_code: device?.["device_code"] ?? "",
    },
  );
  await act("ada allows the device", async () => {
    const browser = new Visitor();
    const entered = await browser.submit(await browser.get(`${url}/device`), "/device", {
      code: device?.["user_code"] ?? "",
    });
    const page = await people.prove(browser, entered, "ada@example.org");
    await people.follow(browser, await browser.submit(page, "/step/consent", {}));
  });
  recording.wait(10_000);
  await oauth(
    "the device's tokens",
    "/oauth2/token",
    {},
    {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: "device",
      device_code: device?.["device_code"] ?? "",
    },
  );
  await oauth("a request is pushed", "/oauth2/par", web, {
    response_type: "code",
    redirect_uri: "https://web.example/cb",
    scope: "openid",
  });
  await oauth("a bad request is pushed", "/oauth2/par", web, {});
  await oauth("revoke", "/oauth2/revoke", web, { token: live?.["refresh_token"] ?? "" });
  await oauth("revoke nothing", "/oauth2/revoke", web, {});
  called.add("GET /oauth/x/authorize");
  await send(
    "GET /oauth/google/authorize",
    "GET",
    `/oauth/google/authorize?app_id=${shop.id}&redirect_uri=${encodeURIComponent(shop.redirectUri)}`,
  );

  await recordAccount(recording, filled);
  await again("ada@example.org");
  await both("DELETE", "/users/profile", user);

  const { body } = await people.call("GET", "/openapi.json");
  const paths = body["paths"] as Record<string, Json>;
  return Object.entries(paths).flatMap(([path, methods]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u");
    return Object.keys(methods)
      .map((method) => method.toUpperCase())
      .filter((method) => /^(GET|POST|PUT|PATCH|DELETE)$/u.test(method))
      .filter(
        (method) =>
          ![...called].some((each) => each.startsWith(`${method} `) && pattern.test(each.slice(method.length + 1))),
      )
      .map((method) => `${method} ${path}`);
  });
}

/** What people do on their account page, and with links of mails. */
async function recordAccount(recording: Recording, { people, shop }: Filled): Promise<void> {
  const { act, url } = recording;
  const visitor = new Visitor();
  const email = "lea@example.org";
  const at = (page: string): string => `${url}/account${page}?app_id=${shop.id}`;
  await act("lea signs up", async () => await people.signUp(shop, email, visitor));
  const pages = ["", "/profile", "/email", "/verify-email", "/factor", "/recovery-codes", "/remove-factor"];
  for (const page of pages) await act(`GET /account${page}`, async () => await visitor.get(at(page)));
  await act(
    "lea proves herself to the account page",
    async () => await people.prove(visitor, await visitor.get(at("/email")), email),
  );
  await act(
    "lea changes her name",
    async () =>
      await visitor.submit(await visitor.get(at("/profile")), `/account/profile?app_id=${shop.id}`, {
        name: "Lea",
        picture: "",
      }),
  );
  await act("lea asks for another address, and confirms it", async () => {
    const sent = await visitor.submit(await visitor.get(at("/email")), `/account/email?app_id=${shop.id}`, {
      email: "lea2@example.org",
    });
    const form = await people.follow(visitor, sent);
    const code = people.codeIn(await people.mailTo("lea2@example.org"));
    await visitor.submit(form, `/account/email/code?app_id=${shop.id}`, { code });
  });
  const now = "lea2@example.org";
  const factor = await act("lea sets a second factor up", async () => await people.setUpFactor(shop, now, visitor));
  recording.wait(60_000);
  const proven = async (page: string): Promise<void> => {
    const asked = await visitor.get(at(page));
    if (asked.status === 303) await people.prove(visitor, asked, now, factor?.key);
  };
  await act("lea renews her recovery codes", async () => {
    await proven("/recovery-codes");
    await visitor.submit(await visitor.get(at("/recovery-codes")), `/account/recovery-codes?app_id=${shop.id}`, {});
  });
  await act("lea removes her second factor", async () => {
    await proven("/remove-factor");
    await visitor.submit(await visitor.get(at("/remove-factor")), `/account/remove-factor?app_id=${shop.id}`, {});
  });
  await act("lea ends all other logins", async () => {
    await people.signIn(shop, now);
    await visitor.submit(await visitor.get(at("")), `/account/logins/end-others?app_id=${shop.id}`, {});
  });
  await act(
    "lea ends all logins",
    async () => await visitor.submit(await visitor.get(at("")), `/account/logins/end-all?app_id=${shop.id}`, {}),
  );
  await act("lea forgets her password", async () => {
    const browser = new Visitor();
    const session = await people.initiate(shop);
    const earlier = recording.mails.last(now);
    const form = await browser.get(`${session.authUrl}/forgot-password`);
    const page = await people.follow(browser, await browser.submit(form, "/forgot-password", { email: now }));
    const mail = await people.mailTo(now, earlier);
    await browser
      .submit(page, "/reset", { code: people.codeIn(mail), password: "another horse battery staple" })
      .catch(() => {});
    const link = await browser.get(people.linkIn(mail));
    const reset = new URL(people.linkIn(mail)).pathname;
    await browser.submit(link, reset, { password: "yet another horse battery staple" }).catch(() => {});
  });
  await act("lea signs in with a code by mail", async () => {
    const browser = new Visitor();
    const session = await people.initiate(shop);
    const earlier = recording.mails.last(now);
    const form = await browser.get(`${session.authUrl}/email-code`);
    const page = await people.follow(browser, await browser.submit(form, "/email-code", { email: now }));
    const done = await browser.submit(page, "/code", { code: people.codeIn(await people.mailTo(now, earlier)) });
    await people.redeem(shop, session, done);
  });
  await act("lea signs out", async () => await visitor.post(at("/sign-out"), {}));
}

/** Ids in titles differ in every run. */
function titleOf(text: string): string {
  return text
    .replaceAll(/_[0-9a-z]{26}\b/gu, "_…")
    .replaceAll(/token=[^&]+/gu, "token=…")
    .replaceAll(/"(refreshToken)":"[^"]+"/gu, '"$1":"…"')
    .replaceAll(/127\.0\.0\.1:\d+/gu, "…");
}
