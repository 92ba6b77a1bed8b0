import { expect, it } from "vitest";
import { accountUrl, openAccount } from "../../support/account.ts";
import { addingSession, signedUpIn } from "../../support/adding.ts";
import { askForAccount, askForReset, codeIn, linkIn, mailTo, newUser } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import {
  openPage,
  call,
  goodPassword,
  initiate,
  newEmail,
  redeem,
  signedUp,
  signIn,
  signUp,
  Visitor,
  type Page,
} from "../../support/person.ts";
import { useProviders } from "../../support/providers/provider.ts";
import { appWith, atProvider, comeBack, startFromPage, startRound } from "../../support/providers/round.ts";
import { describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";

const [github] = await useProviders("github");

const server = await useMailServer();

const kept = "https://app.example/kept";
const removed = "https://app.example/removed";

async function takeBack(service: TestService, app: TestApp): Promise<void> {
  const body = { redirectUris: [kept] };
  expect((await call(service, "PATCH", `/applications/${app.id}`, app.headers, body)).status).toBe(200);
}

describeOnSqlite("after a redirect address was taken back", (service) => {
  const appWithBoth = async () => await service.createApp({ redirectUris: [removed, kept] });

  function expectNowhere({ status, headers, text }: Page): void {
    expect(status).toBe(400);
    expect(headers.get("location")).toBeNull();
    expect(text).not.toContain(removed);
  }

  it("R2, R6: a session that began with it ends in an error page, at every step", async () => {
    const app = await appWithBoth();
    const { email } = await signedUp(service, app);
    const session = await initiate(service, app, { redirectUri: removed });
    const visitor = new Visitor();
    const [signInForm, createForm] = [
      await visitor.get(session.authUrl),
      await visitor.get(`${session.authUrl}/create-account`),
    ];
    await takeBack(service, app);
    for (const page of [
      await visitor.submit(signInForm, "/password", { email, password: goodPassword }),
      await visitor.submit(createForm, "/create-account", { email: newEmail(), name: "", password: goodPassword }),
      await visitor.get(session.authUrl),
      await visitor.get(`${session.authUrl}/create-account`),
      await visitor.get(`${session.authUrl}/cancel`),
      await visitor.get(`${session.authUrl}/forgot-password`),
    ])
      expectNowhere(page);
  });

  it("R6: a code that is on its way there buys nothing", async () => {
    const app = await appWithBoth();
    const { session, code } = await signUp(service, app, undefined, { redirectUri: removed });
    await takeBack(service, app);
    const body = { code, sessionId: session.sessionId };
    expect((await call(service, "POST", "/auth/callback", app.headers, body)).status).toBe(400);
  });

  it("R2, R6: a round at a provider does not end there, with or without success", async () => {
    for (const refusal of [undefined, "access_denied"]) {
      github.refusal = refusal;
      const app = await appWith(service, [github], { redirectUris: [removed, kept] });
      const round = await startRound(service, app, github, { redirectUri: removed });
      const back = await atProvider(round.address, github, { subject: "1", email: newEmail(), verified: true });
      await takeBack(service, app);
      expectNowhere(await comeBack(round.visitor, back));
    }
  });

  it("R6: nor does a session that adds a method", async () => {
    const app = await appWithBoth();
    const person = await signedUpIn(service, app);
    const body = { type: "password", redirectUri: removed };
    const session = await addingSession(service, app, person.accessToken, body);
    const page = await person.visitor.get(session.authUrl);
    await takeBack(service, app);
    expectNowhere(await person.visitor.submit(page, "/add/password", { password: "another password, long enough" }));
    expectNowhere(await person.visitor.get(session.authUrl));
    const again = new Visitor();
    expectNowhere(await again.get(session.authUrl));
    // The old password is the password.
    expect((await signIn(service, app, { email: person.email }, { redirectUri: kept })).code).toMatch(/./u);
  });
});

describeOnSqlite("after a form with a secret in it", { mail: server.mail }, (service) => {
  it("R4: every redirect is 303, so that no browser sends the secret on", async () => {
    const app = await appWith(service, [github], { methods: ["password", "passkey", "oauth"] });
    const answers: Page[] = [];
    const keep = (page: Page): Page => {
      answers.push(page);
      return page;
    };

    // An account by mail, then a sign-in with it.
    const asking = await askForAccount(service, app, {});
    const mail = await mailTo(server, asking.email);
    const done = keep(await asking.visitor.submit(asking.page, "/confirm", { code: codeIn(mail) }));
    const code = done.location.searchParams.get("code") ?? "";
    const tokens = await redeem(service, app, { session: asking.session, code });
    const { visitor, page } = await openPage(service, app);
    keep(await visitor.submit(page, "/password", { email: asking.email, password: goodPassword }));
    const creating = new Visitor();
    const { authUrl } = await initiate(service, app);
    const form = await creating.get(`${authUrl}/create-account`);
    keep(await creating.submit(form, "/create-account", { email: newEmail(), name: "", password: goodPassword }));

    // A new password, by code and by link.
    const reset = await askForReset(service, app, asking.email);
    const byMail = await mailTo(server, asking.email, 1, /reset/iu);
    const next = "another password, long enough";
    keep(await reset.visitor.submit(reset.page, "/reset", { code: codeIn(byMail), password: next }));
    const other = await newUser(service, app, { password: goodPassword });
    await askForReset(service, app, other.email);
    const link = linkIn(await mailTo(server, other.email, 1, /reset/iu));
    const linked = new Visitor();
    keep(await linked.submit(await linked.get(link), new URL(link).pathname, { password: next }));

    // A proof, a changed password, and a provider's round from a form.
    const adding = new Visitor();
    const addSession = await addingSession(
      service,
      app,
      (await redeem(service, app, await signIn(service, app, { email: asking.email, password: next }))).accessToken,
      { type: "password" },
    );
    const proofForm = await adding.get(addSession.authUrl);
    keep(await adding.submit(proofForm, "/password", { email: asking.email, password: next }));
    const addForm = await adding.get(addSession.authUrl);
    keep(await adding.submit(addForm, "/add/password", { password: "a third password, long enough" }));
    const round = await startFromPage(service, app, github);
    keep(round.start);
    const person = { subject: "1", email: newEmail(), verified: true };
    keep(await comeBack(round.visitor, await atProvider(round.address, github, person)));

    const redirects = answers.filter(({ headers }) => headers.has("location"));
    expect(redirects.length).toBeGreaterThanOrEqual(7);
    expect(redirects.map(({ url, status }) => [new URL(url).pathname, status])).toEqual(
      redirects.map(({ url }) => [new URL(url).pathname, 303]),
    );
    // And what is no redirect is a page, not a 3xx that some browser makes one of.
    for (const { status } of answers) expect([200, 303]).toContain(status);
    expect(tokens.expiresIn).toBe(900);
  });
});

describeOnSqlite("the account page's own way on", (service) => {
  const hostile = [
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/%09/evil.example",
    "/\t/evil.example",
    "https:evil.example",
    "https://evil.example/",
    "https:/evil.example",
    "javascript:alert(1)",
    "data:text/html,x",
    "/delete/../../evil",
    "delete@evil.example",
    "delete/",
    "delete\r\nLocation: https://evil.example",
    "data?x=https://evil.example",
    "remove-mth_x/../../../evil",
    "remove-//evil.example",
    "remove-mth_a%2f..%2f..%2fevil",
    ".evil.example",
    "@evil.example",
    "?next=//evil.example",
    "#//evil.example",
    "%2F%2Fevil.example",
    "\u0000delete",
    "DELETE",
  ];

  it.each(hostile)("R7: %j leads nowhere, under any name", async (next) => {
    const app = await service.createApp();
    const { visitor } = await signedUpIn(service, app);
    for (const name of ["state", "next", "return_to", "returnTo", "redirect", "redirect_uri", "url", "continue"]) {
      const page = await visitor.get(accountUrl(service, app, "", `&${name}=${encodeURIComponent(next)}`));
      expect([200, 400]).toContain(page.status);
      expect(page.headers.get("location")).toBeNull();
      expect(page.headers.get("refresh")).toBeNull();
      expect(page.text).not.toContain("evil.example");
    }
  });

  it("R7: its own pages are reached, and a sign-in in between does not change where it goes", async () => {
    const app = await service.createApp();
    const { email, visitor } = await signedUpIn(service, app);
    for (const [next, path] of [
      ["delete", "/account/delete"],
      ["data", "/account/data"],
    ] as const) {
      const page = await visitor.get(accountUrl(service, app, "", `&state=${next}`));
      expect([page.status, page.location.origin, page.location.pathname]).toEqual([303, service.url, path]);
    }
    // Whoever is not signed in signs in, and comes back to the account page, not to where the link
    // said.
    const guest = new Visitor();
    const asked = await guest.get(accountUrl(service, app, "", "&state=//evil.example&next=//evil.example"));
    expect([asked.status, asked.location.origin]).toEqual([303, service.url]);
    const form = await guest.get(asked.location.href);
    const done = await guest.submit(form, "/password", { email, password: goodPassword });
    expect(done.location.origin).toBe(service.url);
    expect(done.location.href).not.toContain("evil");
    expect((await openAccount(service, app, guest)).status).toBe(200);
  });

  it("R7: an add-method session continues to the app's own address only", async () => {
    const app = await service.createApp();
    const person = await signedUpIn(service, app);
    const session = await addingSession(service, app, person.accessToken, { type: "password" });
    const page = await person.visitor.get(session.authUrl);
    const done = await person.visitor.submit(page, "/add/password", {
      password: "another password, long enough",
      next: "//evil.example",
      redirectUri: "https://evil.example",
    });
    expect(`${done.location.origin}${done.location.pathname}`).toBe(app.redirectUri);
  });
});
