import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { accountUrl } from "../../support/account.ts";
import { addingSession, signedUpIn, type SignedInVisitor } from "../../support/adding.ts";
import { useService } from "../../support/one-service.ts";
import { call, goodPassword, initiate, newEmail, Visitor, type Page } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith } from "../../support/providers/round.ts";
import { updateApp, type TestApp } from "../../support/service.ts";

const [google] = await useProviders("google");

const publicOrigin = "https://auth.example.com";
const overTls = { "x-forwarded-proto": "https" };
/** What the service itself asks others for. */
const asked: string[] = [];
const service = useService(
  {},
  {
    fetch: async (input, init) => {
      asked.push(input instanceof Request ? input.url : input.toString());
      return await fetch(input, init);
    },
  },
);
/** As in production: under https, behind a proxy. */
const secure = useService({ baseUrl: publicOrigin, trustedProxies: ["127.0.0.1"] });

/** The proxy in front of it is not the one of its configuration. */
const direct = useService({ baseUrl: publicOrigin, trustedProxies: ["192.0.2.1"] });

let app: TestApp;
let person: SignedInVisitor;
beforeAll(async () => {
  app = await appWith(service, [google], { methods: ["password", "passkey", "oauth"] });
  person = await signedUpIn(service, app);
});

/** Every page that somebody can be shown, of errors too. */
async function everyPage(): Promise<Record<string, Page>> {
  const pages: Record<string, Page> = {};
  const session = await initiate(service, app);
  const visitor = new Visitor();
  const root = service.url;
  const signIn = await visitor.get(session.authUrl);
  pages["sign-in"] = signIn;
  for (const path of ["/create-account", "/forgot-password", "/confirm"])
    pages[path] = await visitor.get(session.authUrl + path);
  pages["a wrong password"] = await visitor.submit(signIn, "/password", { email: newEmail(), password: goodPassword });
  pages["a bad address"] = await visitor.submit(signIn, "/password", { email: "x", password: goodPassword });
  pages["another site's form"] = await visitor.post(
    `${session.authUrl}/password`,
    {},
    { "sec-fetch-site": "cross-site" },
  );
  pages["no token"] = await visitor.post(`${session.authUrl}/password`, {});
  pages["no cookie"] = await new Visitor().post(`${session.authUrl}/password`, {});
  pages["another browser"] = await new Visitor().get(session.authUrl);
  pages["no such session"] = await visitor.get(`${root}/sign-in/sis_${"A".repeat(43)}`);
  pages["no such link"] = await visitor.get(`${root}/reset/${"A".repeat(43)}`);
  pages["no such confirmation"] = await visitor.get(`${root}/confirm/${"A".repeat(43)}`);
  pages["a callback of nothing"] = await visitor.get(`${root}/oauth/google/callback?code=x&state=y`);
  pages["a posted callback"] = await visitor.post(`${root}/oauth/google/callback`, { code: "x", state: "y" });
  pages["a bad redirect"] = await visitor.get(
    `${root}/oauth/google/authorize?app_id=${app.id}&redirect_uri=https://evil.example`,
  );
  for (const path of ["", "/profile", "/verify-email", "/data", "/delete", "/signed-out", "/deleted"])
    pages[`account${path}`] = await person.visitor.get(accountUrl(service, app, path));
  pages["no such method"] = await person.visitor.get(accountUrl(service, app, "/methods/mth_x/rename"));
  pages["no such app"] = await person.visitor.get(`${root}/account?app_id=app_nobody`);
  pages["no app"] = await person.visitor.get(`${root}/account`);
  for (const type of ["password", "passkey"]) {
    const adding = await addingSession(service, app, person.accessToken, { type });
    pages[`add ${type}`] = await person.visitor.get(adding.authUrl);
    pages[`prove, to add ${type}`] = await new Visitor().get(adding.authUrl);
  }
  return pages;
}

const isHtml = (page: Page): boolean => page.headers.get("content-type")?.startsWith("text/html") === true;

function directives(page: Page): Record<string, string> {
  const policy = page.headers.get("content-security-policy") ?? "";
  return Object.fromEntries(
    policy.split("; ").map((one) => [one.split(" ")[0] ?? "", one.split(" ").slice(1).join(" ")]),
  );
}

it("H1: every page, of errors too, allows no script but ours, nothing inline, no frame, no base, no object", async () => {
  const pages = await everyPage();
  const html = Object.entries(pages).filter(([, page]) => isHtml(page));
  expect(html.length).toBeGreaterThan(25);
  for (const [name, page] of html) {
    const { "form-action": formAction = "", ...rest } = directives(page);
    expect({ name, ...rest }).toEqual({
      name,
      "default-src": "'none'",
      // No inline script at all is stricter than a nonce: there is none to be guessed or copied.
      "script-src": "'self'",
      "style-src": "'self'",
      "img-src": "'self'",
      "connect-src": "'self'",
      "base-uri": "'none'",
      "object-src": "'none'",
      "frame-ancestors": "'none'",
      "require-trusted-types-for": "'script'",
    });
    expect(formAction.startsWith("'self'"), name).toBe(true);
    expect(page.headers.get("x-frame-options"), name).toBe("DENY");
    // As strict as that is, the pages need none of what it forbids.
    expect(page.text, name).not.toMatch(
      /<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=|javascript:|<base|<object|<embed|<iframe/iu,
    );
  }
});

it("H2: a page's forms lead to ourselves, to this session's redirect origin and to the providers it shows, and an error's to ourselves alone", async () => {
  const wide = await appWith(service, [google], {
    redirectUris: ["https://one.example/cb", "https://two.example/cb", "com.example.app:/cb"],
    methods: ["password", "oauth"],
  });
  const targets = async (redirectUri: string): Promise<string[]> => {
    const session = await initiate(service, { ...wide, redirectUri });
    return (directives(await new Visitor().get(session.authUrl))["form-action"] ?? "").split(" ");
  };
  expect((await targets("https://one.example/cb")).toSorted()).toEqual(
    ["'self'", google.origin, "https://one.example"].toSorted(),
  );
  expect((await targets("com.example.app:/cb")).toSorted()).toEqual(
    ["'self'", "com.example.app:", google.origin].toSorted(),
  );
  for (const name of ["no such session", "another browser", "no such link"])
    expect(directives((await everyPage())[name] as Page)["form-action"], name).toBe("'self'");
});

it("H2: a host that is not plain adds nothing to a page's policy, wherever it was stored", async () => {
  const redirectUri = "https://one.example/cb";
  const { id, ...mine } = await service.createApp({ redirectUris: [redirectUri] });
  const { storage } = service.server.app.ctx;
  const logo = "https://logo.example;frame-ancestors,*/logo.png";
  const branding = { logo, primaryColor: null, companyName: null };
  await expect(
    applications.update(service.server.app.ctx, id, { branding }, { kind: "cli", name: "test" }),
  ).rejects.toMatchObject({ details: expect.stringContaining("branding.logo") });
  // As a version before may have taken them.
  const evil = "https://one.example;frame-ancestors,*.example/cb";
  await storage.write(async ({ db, tables: { applications } }) => {
    await db
      .update(applications)
      .set({ branding, redirectUris: [evil] })
      .where(eq(applications.id, id));
  });
  const session = await initiate(service, { ...mine, id, redirectUri: evil });
  const policy = (await new Visitor().get(session.authUrl)).headers.get("content-security-policy");
  expect(policy).toContain("form-action 'self';");
  expect(policy).toContain("img-src 'self';");
  expect(policy?.match(/frame-ancestors/gu)).toHaveLength(1);
});

it("a request that came over http on any part of its way to the proxies is refused", async () => {
  const ask = async (forwarded: string) =>
    (await fetch(`${secure.server.url}/account`, { headers: { "x-forwarded-proto": forwarded } })).status;
  for (const good of ["https", "HTTPS", "https, https"]) expect([good, await ask(good)]).not.toEqual([good, 400]);
  for (const bad of ["http", "https, http", "http, https", "https,http", ""])
    expect([bad, await ask(bad)]).toEqual([bad, 400]);
});

it("and is told what was read, or that it is read from trusted proxies only", async () => {
  const said = async (url: string, forwarded?: string) => {
    const headers = {
      "content-type": "application/json",
      ...(forwarded !== undefined && { "x-forwarded-proto": forwarded }),
    };
    const answer = await fetch(`${url}/auth/initiate`, { method: "POST", headers, body: "{}" });
    return await answer.json();
  };
  const error = (message: string) => ({ error: { code: "INVALID_REQUEST", message, details: "scheme: https" } });
  expect(await said(secure.server.url, "https, http")).toMatchObject(
    error('Calls must use HTTPS. The proxy says X-Forwarded-Proto: "https, http", of which every part must be https.'),
  );
  expect(await said(direct.server.url, "https")).toMatchObject(
    error("Calls must use HTTPS. X-Forwarded-Proto is read only from the proxies in trustedProxies."),
  );
  expect(await said(direct.server.url)).toMatchObject(error("Calls must use HTTPS."));
});

const everywhere: Record<string, string> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

it("H3: every page says what it is, is kept in no cache, tells no other site where it came from, and lets no other window hold it", async () => {
  for (const [name, page] of Object.entries(await everyPage())) {
    for (const [header, value] of Object.entries(everywhere))
      expect(page.headers.get(header), `${name}: ${header}`).toBe(value);
    expect(page.headers.get("cache-control"), name).toBe("no-store");
    expect(page.headers.get("server"), name).toBeNull();
    expect(page.headers.get("x-powered-by"), name).toBeNull();
    if (!isHtml(page)) continue;
    expect(page.headers.get("content-type"), name).toBe("text/html; charset=utf-8");
    expect(page.headers.get("cross-origin-opener-policy"), name).toBe("same-origin");
  }
});

const anywhere: [method: string, path: string][] = [
  ["GET", "/"],
  ["GET", "/nowhere"],
  ["GET", "/auth/validate"],
  ["POST", "/auth/initiate"],
  ["PUT", "/auth/initiate"],
  ["OPTIONS", "/auth/initiate"],
  ["GET", "/users/profile"],
  ["GET", "/api/config?app_id=nobody"],
  ["GET", "/auth/verify-token?token=x&app_id=nobody"],
  ["GET", "/healthz"],
  ["GET", "/readyz"],
  ["GET", "/openapi.json"],
  ["GET", "/.well-known/jwks.json"],
  ["GET", "/.well-known/openid-configuration"],
  ["GET", "/sign-in/x"],
  ["GET", "/account"],
  ["GET", "/assets/nothing.js"],
  ["GET", "/%"],
];

it.each(anywhere)(
  "H3: %s %s, whatever it answers, has HSTS of a year and more over https, and the same protections",
  async (method, path) => {
    const answer = await fetch(secure.url + path, { method, headers: overTls, redirect: "manual" });
    const [, age = ""] =
      /^max-age=(\d+); includeSubDomains$/u.exec(answer.headers.get("strict-transport-security") ?? "") ?? [];
    expect(Number(age)).toBeGreaterThanOrEqual(31_536_000);
    for (const [header, value] of Object.entries(everywhere)) expect(answer.headers.get(header), header).toBe(value);
    for (const header of ["server", "x-powered-by"]) expect(answer.headers.get(header)).toBeNull();
    if (answer.headers.has("content-type")) expect(answer.headers.get("content-type")).toMatch(/charset=utf-8$/u);
  },
);

it("H5: over https every cookie of a sign-in and of the account is __Host-, Secure, HttpOnly and SameSite=Lax", async () => {
  const created = await secure.createApp();
  const own = { ...created, headers: { ...created.headers, ...overTls } };
  const session = await initiate(secure, own);
  const inside = session.authUrl.replace(publicOrigin, secure.url);
  const visitor = new Visitor(overTls);
  const page = await visitor.get(`${inside}/create-account`);
  const fields = { ...page.form("/create-account").fields, email: newEmail(), name: "", password: goodPassword };
  const done = await visitor.post(`${inside}/create-account`, fields, { origin: publicOrigin });
  expect(done.status).toBe(303);
  const account = await visitor.get(`${secure.url}/account?app_id=${own.id}`);
  const lines = [page, done, account].flatMap(({ headers }) => headers.getSetCookie());
  expect(lines.length).toBeGreaterThan(1);
  expect(page.headers.getSetCookie()[0]).toContain("; Max-Age=3600");
  for (const line of lines) {
    const [pair = "", ...attributes] = line.split("; ");
    expect(pair).toMatch(/^__Host-authsvc-(?:visit-)?[A-Za-z0-9]{12}=[\w-]*$/u);
    expect(attributes).toEqual(expect.arrayContaining(["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]));
    expect(attributes.some((one) => /^domain=/iu.test(one))).toBe(false);
  }
});

it("H7: pages name nothing of anybody else's, and the service itself never asks for a logo or a picture", async () => {
  const { url } = service;
  await call(
    service,
    "PATCH",
    "/users/profile",
    { authorization: `Bearer ${person.accessToken}` },
    {
      picture: `https://canary.example/picture.png`,
    },
  );
  const branded = await appWith(service, [], { methods: ["password"] });
  await updateApp(service, branded, {
    branding: { logo: `https://canary.example/logo.png`, companyName: null, primaryColor: null },
  });
  const session = await initiate(service, branded);
  const withLogo = await new Visitor().get(session.authUrl);
  expect(directives(withLogo)["img-src"]).toBe("'self' https://canary.example");
  for (const [name, page] of Object.entries(await everyPage())) {
    const loaded = [...page.text.matchAll(/<(?:script|img|link|source|video|audio)\b[^>]*?\b(?:src|href)="([^"]*)"/gu)];
    for (const [, address = ""] of loaded) expect(new URL(address, url).origin, name).toBe(url);
  }
  expect(asked).toEqual([]);
});

it("H9: fields say what they are for, passwords are masked, and nothing stands in the way of pasting or a password manager", async () => {
  const pages = await everyPage();
  const inputs = (name: string): string[] =>
    [...(pages[name]?.text ?? "").matchAll(/<input\b[^>]*>/gu)].map(([tag]) => tag);
  const find = (name: string, field: string): string =>
    inputs(name).find((tag) => tag.includes(`name="${field}"`)) ?? "";
  expect(find("sign-in", "email")).toMatch(/type="email"/u);
  expect(find("sign-in", "email")).toMatch(/autocomplete="(?:section-\w+ )?username(?: webauthn)?"/u);
  expect(find("sign-in", "password")).toMatch(/type="password"/u);
  expect(find("sign-in", "password")).toContain('autocomplete="current-password');
  expect(find("/create-account", "password")).toContain('autocomplete="new-password"');
  expect(find("/create-account", "password")).toMatch(/type="password"/u);
  expect(find("add password", "password")).toContain('autocomplete="new-password"');
  for (const [name, page] of Object.entries(pages)) {
    expect(page.text, name).not.toMatch(/autocomplete="off"|onpaste|readonly|maxlength="(?:[1-9]|[1-5]\d|6[0-3])"/u);
    for (const tag of inputs(name).filter((input) => /name="password"/u.test(input)))
      expect(tag).toMatch(/type="password"/u);
    // What was typed as a password never comes back.
    expect(page.text, name).not.toContain(goodPassword);
  }
});
