import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { openAccount, press, proveAt } from "../../support/account.ts";
import { addingSession } from "../../support/adding.ts";
import { allSent, askForAccount, askForReset, codeIn, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer, type ReceivedMail } from "../../support/mail.ts";
import { removeMethod } from "../../support/methods.ts";
import { call, goodPassword, initiate, newEmail, redeem, signIn, Visitor, type Tokens } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { atProvider, comeBack, appWith } from "../../support/providers/round.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { describeOnSqlite, serviceOfTest, type TestApp, type TestService } from "../../support/service.ts";

const [google] = await useProviders("google");

const server = await useMailServer();

const evil = "evil-host.example";
const hostileHosts = [
  evil,
  `${evil}:80`,
  `localhost@${evil}`,
  `localhost.${evil}`,
  `${evil}/a?b#c`,
  `"${evil}"`,
  `[::1].${evil}`,
  `<script>${evil}`,
  "",
  " ",
  "a b",
  "[::",
  "%00",
];
/** What proxies and frameworks take for the address of the service. */
const hostileHeaders: Record<string, string> = {
  "x-forwarded-host": evil,
  "x-forwarded-proto": "https",
  "x-forwarded-port": "444",
  "x-forwarded-prefix": `/${evil}`,
  "x-forwarded-server": evil,
  "x-forwarded-ssl": "on",
  "x-host": evil,
  "x-http-host-override": evil,
  "x-original-host": evil,
  "x-original-url": `/${evil}`,
  "x-rewrite-url": `/${evil}`,
  "x-url-scheme": "https",
  "front-end-https": "on",
  forwarded: `for=1.2.3.4;host=${evil};proto=https`,
  via: `1.1 ${evil}`,
  referer: `https://${evil}/`,
};

type Question = { method?: string; target: string; host?: string; headers?: Record<string, string>; body?: string };

/**
 * One request with a Host of the sender's choice and every header above; `all` is the body and the
 * headers of the answer.
 */
async function ask(service: TestService, { method = "GET", target, host = evil, headers = {}, body = "" }: Question) {
  const sent = { ...hostileHeaders, ...headers, host };
  const { status, headers: received, text } = await sendUntidied(service, method, target, sent, body);
  return { status, text, all: text + JSON.stringify(received) };
}

const jsonOf = (app: TestApp) => ({ ...app.headers, "content-type": "application/json" });

/** Every kind of answer that could name the service. */
const paths = [
  "/.well-known/jwks.json",
  "/.well-known/openid-configuration",
  "/.well-known/change-password",
  "/.well-known/passkey-endpoints",
  "/.well-known/webauthn",
  "/openapi.json",
  "/healthz",
  "/readyz",
  "/nothing",
  "/%zz",
  "/sign-in/unknown",
  `/sign-in/sis_${"A".repeat(43)}`,
  "/account",
  "/account?app_id=app_1",
  "/account/signed-out?app_id=app_1",
  "/reset/unknown",
  "/confirm/unknown",
  "/api/config?app_id=app_1",
  "/oauth/google/authorize?app_id=app_1",
  "/oauth/google/callback?state=x",
];

describeOnSqlite("the service's own address", { mail: server.mail }, (service) => {
  it.each(hostileHosts)("R5: in an authUrl does not come from the Host %j", async (host) => {
    const app = await service.createApp();
    const body = JSON.stringify({ redirectUri: app.redirectUri });
    const question = { method: "POST", target: "/auth/initiate", host, headers: jsonOf(app), body };
    const { status, text, all } = await ask(service, question);
    // No host at all is no HTTP.
    expect([200, 400]).toContain(status);
    expect(all).not.toContain(evil);
    if (status !== 200) return;
    const { authUrl } = JSON.parse(text) as { authUrl: string };
    expect(authUrl.startsWith(`${service.url}/sign-in/sis_`)).toBe(true);
  });

  it.each(paths)("R5: at %s is not the Host's, whatever the request says", async (target) => {
    const { createApp } = service;
    await createApp();
    for (const form of [target, `http://${evil}${target}`]) {
      const { status, all } = await ask(service, { target: form });
      expect(status).toBeLessThan(500);
      expect(all).not.toContain(evil);
    }
  });

  it("R5, GHSA-3529-5m8x-rpv3: in the tokens, pages, cookies and redirects of a whole sign-in is the configured one", async () => {
    const app = await service.createApp();
    const { email } = await newUser(service, app, { password: goodPassword });
    const session = await initiate(service, app);
    const visitor = new Visitor(hostileHeaders);
    const page = await visitor.get(session.authUrl);
    const done = await visitor.submit(page, "/password", { email, password: goodPassword });
    for (const { text, headers } of [page, done]) expect(text + JSON.stringify([...headers])).not.toContain(evil);
    expect(JSON.stringify([...page.headers])).not.toMatch(/domain=/iu);
    const body = JSON.stringify({ code: done.location.searchParams.get("code"), sessionId: session.sessionId });
    const question = { method: "POST", target: "/auth/callback", headers: jsonOf(app), body };
    const tokens = JSON.parse((await ask(service, question)).text) as Tokens;
    expect(decodeJwt(tokens.accessToken).iss).toBe(service.url);
    const refreshing = {
      ...question,
      target: "/auth/refresh",
      body: JSON.stringify({ refreshToken: tokens.refreshToken }),
    };
    expect(decodeJwt((JSON.parse((await ask(service, refreshing)).text) as Tokens).accessToken).iss).toBe(service.url);
  });

  it("R5, CVE-2023-49097, GHSA-3529-5m8x-rpv3: in a mail of any kind is the configured one", async () => {
    const app = await appWith(service, [google]);
    const begin = server.received.length;
    const hostile = () => new Visitor(hostileHeaders);

    // sign-up, then known-address for the same person.
    const asking = await askForAccount(service, app, { visitor: hostile() });
    const { email } = asking;
    const code = codeIn(await mailTo(server, email));
    const done = await asking.visitor.submit(asking.page, "/confirm", { code });
    const signedIn = { session: asking.session, code: done.location.searchParams.get("code") ?? "" };
    const tokens = await redeem(service, app, signedIn);
    await askForAccount(service, app, { email, visitor: hostile() });
    // new-device, password-changed, method-added and method-removed.
    const session = await addingSession(service, app, tokens.accessToken, { type: "password" });
    const device = hostile();
    await device.submit(await device.get(session.authUrl), "/password", { email, password: goodPassword });
    const form = await device.get(session.authUrl);
    const changed = await device.submit(form, "/add/password", { password: "another password, long enough" });
    expect(changed.location.searchParams.get("status")).toBe("changed");
    const password = "another password, long enough";
    // The change ended the other logins.
    const after = await redeem(service, app, await signIn(service, app, { email, password }, {}, device));
    const adding = await addingSession(service, app, after.accessToken, { type: "oauth", provider: "google" });
    const left = await device.submit(await device.get(adding.authUrl), "/add/oauth", {});
    const person = { subject: "1", email: newEmail(), verified: true };
    const added = await comeBack(device, await atProvider(left.location, google, person));
    const methodId = added.location.searchParams.get("methodId") ?? "";
    expect((await removeMethod(service, after, methodId)).status).toBe(200);
    const stranger = hostile();
    const elsewhere = await initiate(service, app);
    await stranger.submit(await stranger.get(elsewhere.authUrl), "/password", { email, password });
    // reset, which ends the logins.
    await askForReset(service, app, email, hostile());
    // verify.
    const unproven = await newUser(service, app, { password: goodPassword, emailVerified: false });
    const owner = hostile();
    await proveAt(owner, await openAccount(service, app, owner), unproven.email);
    const account = await openAccount(service, app, owner);
    expect((await press(app, owner, account, "/verify-email")).status).toBe(303);
    await allSent(service);

    const mails = server.received.slice(begin);
    const subjects = new Set(mails.map(({ subject }) => subject.replace(/^\d{8} – /u, "")));
    // Eight kinds; "verify" and "sign-up" say the same in their subject.
    expect(subjects.size, [...subjects].join("; ")).toBe(7);
    expect(mails.filter(({ subject }) => subject.includes("Confirm your email"))).toHaveLength(2);
    for (const mail of mails) {
      expect(mail.raw).not.toContain(evil);
      expect(mail.text + mail.html).not.toContain(evil);
      // Beside its own, a link may lead to the app, at the address that is registered.
      for (const link of linksIn(mail)) expect([service.url, "https://app.example"]).toContain(new URL(link).origin);
    }
    expect(mails.flatMap(linksIn).length).toBeGreaterThanOrEqual(4);
  });
});

it("R5, CVE-2025-71401: the first request after the start teaches the service nothing", async () => {
  const first: Question[] = [
    { target: "/.well-known/openid-configuration" },
    { target: `http://${evil}/prefix/auth/initiate` },
    { target: "/account", host: `${evil}/prefix` },
    { method: "POST", target: "/auth/initiate", headers: { "content-type": "application/json" }, body: "{}" },
  ];
  for (const question of first) {
    const service = await serviceOfTest("sqlite");
    const answer = await ask(service, question);
    expect(answer.all).not.toContain(evil);
    const app = await service.createApp();
    const session = await initiate(service, app);
    expect(session.authUrl.startsWith(`${service.url}/sign-in/`)).toBe(true);
    const visitor = new Visitor();
    const page = await visitor.get(`${session.authUrl}/create-account`);
    const values = { email: newEmail(), name: "", password: goodPassword };
    const done = await visitor.submit(page, "/create-account", values);
    const code = done.location.searchParams.get("code") ?? "";
    const { accessToken } = await redeem(service, app, { session, code });
    expect(decodeJwt(accessToken).iss).toBe(service.url);
    const crawl: [method: string, path: string, status: number][] = [
      ["GET", "/.well-known/openid-configuration", 200],
      ["GET", "/.well-known/jwks.json", 200],
      ["GET", "/openapi.json", 200],
      ["GET", "/healthz", 200],
      ["GET", "/readyz", 200],
      ["GET", `/api/config?app_id=${app.id}`, 200],
      ["GET", `/applications/${app.id}`, 200],
      ["GET", "/webhooks/endpoints", 200],
      ["POST", "/auth/refresh", 400],
    ];
    for (const [method, path, status] of crawl) {
      const found = await call(service, method, path, app.headers, method === "POST" ? {} : undefined);
      expect([path, found.status]).toEqual([path, status]);
      expect(JSON.stringify(found.body)).not.toContain(evil);
    }
  }
});

function linksIn({ text, html }: ReceivedMail): string[] {
  return [...`${text}\n${html}`.matchAll(/https?:\/\/[^\s"<>)]+/gu)].map(([link]) => link);
}
