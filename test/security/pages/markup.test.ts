import { describe, expect, it } from "vitest";
import { openAccount } from "../../support/account.ts";
import { signedUpIn } from "../../support/adding.ts";
import { sampled } from "../../support/long-run.ts";
import { allSent, askForAccount, askForReset, codeIn, mailTo } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { bearer } from "../../support/methods.ts";
import { useService } from "../../support/one-service.ts";
import { openPage, call, goodPassword, initiate, newEmail, redeem, signIn, Visitor } from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith, signInAt, startRound } from "../../support/providers/round.ts";
import { updateApp, type TestApp } from "../../support/service.ts";

const [google] = await useProviders("google");

const server = await useMailServer();
const service = useService();
const mailing = useService({ mail: server.mail });

/**
 * Texts that become markup where one kind of place forgets to escape: text, attributes of all
 * quotes, title, comment, URL, script, entities.
 */
const payloads = [
  `<script>alert("owned")</script>`,
  `"><img src=x onerror=alert("owned")>`,
  `' onfocus='alert("owned")' autofocus='`,
  `</title><svg onload=alert("owned")>`,
  `--><iframe srcdoc="<b>owned</b>">`,
  `</textarea></style></noscript><b>owned</b>`,
  `&lt;b&gt;owned&#60;/b&#62;`,
  `javascript:alert("owned")`,
  `{{7*7}}\${7*7}<%= 7*7 %>owned`,
  "<b>owned</b>\u00A0",
];

/** The markup of a payload, as it must never stand in a page or a mail. */
function expectInert(html: string, payload: string, where: string): void {
  expect(html, where).not.toMatch(/<(?:script(?![^>]*\bsrc="\/assets\/)|img src=x|svg onload|iframe|b>owned)/iu);
  // Attributes: nothing of it breaks out of its quotes.
  expect(html.replaceAll(/"[^"]*"/gu, '""'), where).not.toMatch(/<[^>]*\s(?:on(?:error|focus|load)|autofocus=')/iu);
  expect(html, where).not.toMatch(/(?:href|src|action)="\s*(?:javascript|data|vbscript):/iu);
  if (/[<>"']/u.test(payload)) expect(html, where).not.toContain(payload);
}

describe.each(sampled(payloads, 3))("with %j", (payload) => {
  it("H6, CVE-2026-29192: an app's name, its company's, a person's name and an address that is none stay text, on every page", async () => {
    const app = await service.createApp({ name: payload });
    await updateApp(service, app, { branding: { companyName: payload, logo: null, primaryColor: null } });
    const person = await signedUpIn(service, app);
    const named = await call(service, "PATCH", "/users/profile", bearer(person.accessToken), { name: payload });
    expect(named.status).toBe(200);
    expect(named.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const { session, visitor, page } = await openPage(service, app, { state: payload });
    const pages = [
      page,
      await visitor.get(`${session.authUrl}/create-account`),
      await visitor.get(`${session.authUrl}/forgot-password`),
      await visitor.submit(page, "/password", { email: payload, password: payload }),
      await visitor.submit(await visitor.get(`${session.authUrl}/create-account`), "/create-account", {
        email: payload,
        name: payload,
        password: goodPassword,
      }),
      await openAccount(service, app, person.visitor),
      await openAccount(service, app, person.visitor, "/profile"),
      await openAccount(service, app, person.visitor, "/delete"),
      await new Visitor().get(session.authUrl),
    ];
    for (const { text, url } of pages) expectInert(text, payload, url);
    // A cancelled sign-in brings the state back as it was, in an address and nowhere else.
    const back = await visitor.get(`${session.authUrl}/cancel`);
    expect(back.location.searchParams.get("state")).toBe(payload);
    expectInert(back.text, payload, "cancel");
  });

  it("H6, CVE-2019-8400: what a provider or anybody else writes into an address that leads here is not shown as it came", async () => {
    const app = await appWith(service, [google]);
    google.reset();
    const round = await startRound(service, app, google);
    const state = round.address.searchParams.get("state") ?? "";
    const query = (more: Record<string, string>) => new URLSearchParams({ state, ...more }).toString();
    const callback = `${service.url}/oauth/google/callback`;
    const root = service.url;
    const encoded = encodeURIComponent(payload);
    // No route has a path with an encoded slash.
    const inPath = encodeURIComponent(payload.replaceAll("/", ""));
    const pages = [
      await round.visitor.get(`${callback}?${query({ state: payload, error: payload, error_hint: payload })}`),
      await round.visitor.get(
        `${callback}?${query({ error: payload, error_description: payload, error_hint: payload, error_uri: payload })}`,
      ),
      await round.visitor.post(callback, { state, error: payload, error_description: payload, user: payload }),
      await round.visitor.get(`${root}/sign-in/${inPath}`),
      await round.visitor.get(`${root}/reset/${inPath}`),
      await round.visitor.get(`${root}/confirm/${inPath}?message=${encoded}`),
      await round.visitor.get(`${root}/account?app_id=${encoded}&done=${encoded}&next=${encoded}`),
      await round.visitor.get(`${root}/oauth/${inPath}/authorize?app_id=${app.id}&redirect_uri=${encoded}`),
      await round.visitor.get(`${root}/${inPath}`),
      await round.visitor.get(`${root}/${encoded}`),
      await round.visitor.get(round.session.authUrl + `?error=${encoded}&error_hint=${encoded}&message=${encoded}`),
      await new Visitor({ "user-agent": "x", "accept-language": "<b>owned</b>" }).get(round.session.authUrl),
    ];
    for (const page of pages) {
      expect(page.status).toBeLessThan(500);
      if (page.headers.get("content-type")?.startsWith("text/html") === true) expectInert(page.text, payload, page.url);
      else expect(page.headers.get("content-type") ?? "application/json; charset=utf-8").toMatch(/^application\/json/u);
    }
    expect(google.received.some(({ path }) => path === "/token")).toBe(false);
  });

  it("H6: a name that a provider gives, and a device's user agent, stay text where a person sees them", async () => {
    const app = await appWith(service, [google]);
    const person = { subject: newEmail(), email: newEmail(), verified: true, name: payload };
    const { done, visitor } = await signInAt(service, app, google, person);
    expect(done.status).toBe(303);
    expectInert((await openAccount(service, app, visitor)).text, payload, "account");
  });

  it("H6: the names of app, company and person stay text in mails too", async () => {
    const app = await mailing.createApp({ name: payload });
    await updateApp(mailing, app, { branding: { companyName: payload, logo: null, primaryColor: null } });
    const asked = await askForAccount(mailing, app, { name: payload });
    const first = await mailTo(server, asked.email);
    await asked.visitor.submit(asked.page, "/confirm", { code: codeIn(first) });
    await askForReset(mailing, app, asked.email);
    await mailTo(server, asked.email, 2);
    await allSent(mailing);
    for (const mail of server.to(asked.email)) {
      expectInert(mail.html, payload, mail.subject);
      expect(mail.html).not.toMatch(/<(?:script|img|iframe|form|link)\b/iu);
      expect(mail.headers.get("subject")).not.toMatch(/[\r\n]/u);
    }
  });
});

const addresses = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\tscript:alert(1)",
  " javascript:alert(1)",
  "data:text/html,<b>owned</b>",
  "data:image/svg+xml;base64,PHN2Zz4=",
  "vbscript:x",
  "http://plain.example/picture.png",
  "//evil.example/picture.png",
  "/picture.png",
  "https://user:password@evil.example/x.png",
  'https://evil.example/"><script>alert(1)</script>',
];

it.each(addresses)(
  "H6, CVE-2026-29192: %j is no picture, no logo and no place to be redirected to",
  async (address) => {
    const app = await service.createApp();
    const { accessToken } = await redeem(service, app, await person(app));
    const picture = await call(service, "PATCH", "/users/profile", bearer(accessToken), { picture: address });
    // Whatever else is in it, it is an https address.
    if (picture.status === 200) expect(String(picture.body["picture"])).toMatch(/^https:\/\/[^\s@]+$/u);
    else expect(picture.status).toBe(400);
    const before = await call(service, "GET", `/applications/${app.id}`, app.headers);
    const redirect = await call(service, "PATCH", `/applications/${app.id}`, app.headers, {
      redirectUris: [app.redirectUri, address],
    });
    if (redirect.status === 200) expect(JSON.stringify(redirect.body)).not.toMatch(/[<>]|javascript:|data:/u);
    else expect((await call(service, "GET", `/applications/${app.id}`, app.headers)).body).toEqual(before.body);
    const initiated = await call(service, "POST", "/auth/initiate", app.headers, { redirectUri: address });
    if (redirect.status !== 200) expect(initiated.status).toBe(400);
    const branding = { logo: address, companyName: null, primaryColor: null };
    const isTaken = await updateApp(service, app, { branding }).then(
      () => true,
      () => false,
    );
    const page = await new Visitor().get((await initiate(service, app)).authUrl);
    expectInert(page.text, address, "logo");
    if (!isTaken) expect(page.text).not.toContain("<img");
  },
);

it.each([
  "red;}*{display:none",
  "#fff;background:url(https://evil.example)",
  "expression(alert(1))",
  "</style><script>",
  "url(x)",
])("H6: %j is no colour: what an app paints with is a colour and nothing more", async (primaryColor) => {
  const app = await service.createApp();
  const branding = { primaryColor, logo: null, companyName: null };
  await updateApp(service, app, { branding }).catch(() => undefined);
  const page = await new Visitor().get((await initiate(service, app)).authUrl);
  expect(page.text).not.toContain(primaryColor);
  expect(page.text).not.toContain("evil.example");
});

async function person(app: TestApp) {
  const { email } = await signedUpIn(service, app);
  return await signIn(service, app, { email });
}
