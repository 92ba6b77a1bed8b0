import { beforeAll, expect, it } from "vitest";
import { accountUrl, minutes, openAccount, press, proveAt } from "../../support/account.ts";
import { signedUpIn } from "../../support/adding.ts";
import { call, Visitor } from "../../support/person.ts";
import { useApp, describeSqliteFirst, testConfig } from "../../support/service.ts";

describeSqliteFirst("the account page and who may see it", (current) => {
  const app = useApp(current);
  beforeAll(async () => {
    await current().createApp();
  });

  it("sends a browser in which nobody is signed in to a sign-in, and shows the account after it", async () => {
    const { email } = await signedUpIn(current(), app);
    const visitor = new Visitor();
    const first = await openAccount(current(), app, visitor);
    expect(first.status).toBe(303);
    expect(first.location.pathname).toMatch(/^\/sign-in\/sis_/u);
    const signIn = await visitor.get(first.location.href);
    expect(signIn.text).toContain("Sign in to your Acme");
    expect(signIn.text).not.toContain("Create account");
    const done = await proveAt(visitor, first, email);
    expect(done.status).toBe(303);
    expect(done.location.href).toBe(accountUrl(current(), app));
    const page = await visitor.get(done.location.href);
    expect(page.status).toBe(200);
    expect(page.text).toContain(email);
  });

  it("needs no second sign-in in the browser that has just signed in to the app", async () => {
    const { email, visitor } = await signedUpIn(current(), app);
    const page = await openAccount(current(), app, visitor);
    expect(page.status).toBe(200);
    expect(page.text).toContain(email);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page.text).toContain('<meta name="robots" content="noindex" />');
  });

  it("asks again after twelve hours", async () => {
    const { visitor } = await signedUpIn(current(), app);
    current().clock.advance(12 * 60 * minutes);
    expect((await openAccount(current(), app, visitor)).status).toBe(303);
  });

  it("shows nothing to a browser that is signed in to another app only", async () => {
    const other = await current().createApp();
    const { visitor } = await signedUpIn(current(), other);
    expect((await openAccount(current(), app, visitor)).status).toBe(303);
    expect((await openAccount(current(), other, visitor)).status).toBe(200);
  });

  it("takes no other app's cookie under this app's name", async () => {
    const other = await current().createApp();
    const [here, there] = [await signedUpIn(current(), app), await signedUpIn(current(), other)];
    for (const value of there.visitor.cookies.values()) {
      const thief = new Visitor();
      for (const key of here.visitor.cookies.keys()) thief.cookies.set(key, value);
      expect((await openAccount(current(), app, thief)).status).toBe(303);
    }
  });

  it.each(["app_nobody", "", "__proto__"])("says nothing about an app that is not there: %j", async (id) => {
    const page = await new Visitor().get(`${current().url}/account?app_id=${id}`);
    expect(page.status).toBe(404);
    expect(page.text).toContain("Open this from your app");
    expect(page.text).not.toContain("Acme");
  });

  it("asks to come from the app when no app is named and there are several", async () => {
    const page = await new Visitor().get(`${current().url}/account`);
    expect(page.status).toBe(200);
    expect(page.text).toContain("Open this from your app");
  });

  it("without an app, opens the only account that is signed in here, or offers them", async () => {
    const [one, other] = [app, await current().createApp()];
    const { visitor } = await signedUpIn(current(), one);
    const first = await visitor.get(`${current().url}/account`);
    expect([first.status, first.text.includes("Your data")]).toEqual([200, true]);
    const second = await signedUpIn(current(), other, visitor);
    const both = await second.visitor.get(`${current().url}/account`);
    for (const { id } of [one, other]) expect(both.text).toContain(`href="/account?app_id=${id}"`);
  });

  it("a page that is not there leads to the account", async () => {
    const page = await new Visitor({ accept: "text/html" }).get(`${current().url}/nowhere`);
    expect(page.status).toBe(404);
    expect(page.text).toContain(`href="${current().url}/account"`);
  });

  it("does not send back to the sign-in anybody who has just turned back there", async () => {
    const visitor = new Visitor();
    const first = await openAccount(current(), app, visitor);
    const cancelled = await visitor.get(`${first.location.href}/cancel`);
    const page = await visitor.get(cancelled.location.href);
    expect(page.status).toBe(200);
    expect(page.text).toContain("You aren&#39;t signed in");
    expect(page.text).not.toContain("access_denied");
  });

  it("is where a sign-in to it leads back to when it has timed out", async () => {
    const visitor = new Visitor();
    const { location } = await openAccount(current(), app, visitor);
    current().clock.advance(10 * minutes);
    const late = await visitor.get(location.href);
    expect(late.status).toBe(410);
    expect(late.text).toContain(`href="${accountUrl(current(), app)}"`);
  });

  it("ends in this browser by its own button, with every login that this browser opened", async () => {
    const { visitor, email, accessToken } = await signedUpIn(current(), app);
    const page = await openAccount(current(), app, visitor);
    const left = await press(app, visitor, page, "/sign-out");
    expect(left.location.href).toBe(accountUrl(current(), app, "/signed-out"));
    expect((await visitor.get(left.location.href)).text).toContain("You&#39;re signed out");
    const again = await openAccount(current(), app, visitor);
    expect(again.location.pathname).toMatch(/^\/sign-in\//u);
    const valid = await call(current(), "GET", "/auth/validate", {
      authorization: `Bearer ${accessToken}`,
      "x-service-app-id": app.id,
    });
    expect(valid.status).toBe(401);
    expect((await proveAt(visitor, again, email)).location.href).toBe(accountUrl(current(), app));
  });

  it("goes away with the app's own logout in the same browser, also after a proof in between", async () => {
    const { visitor, email, accessToken } = await signedUpIn(current(), app);
    current().clock.advance(10 * minutes);
    await proveAt(visitor, await openAccount(current(), app, visitor, "/delete"), email);
    expect((await openAccount(current(), app, visitor)).status).toBe(200);
    await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${accessToken}` }, {});
    expect((await openAccount(current(), app, visitor)).status).toBe(303);
  });

  it("shows no words that a link put into its address", async () => {
    const { visitor } = await signedUpIn(current(), app);
    const forged = "&notice=removed&status=added&methodId=mth_1&error_description=Call+555";
    const followed = await visitor.get(accountUrl(current(), app, "", forged), { "sec-fetch-site": "cross-site" });
    expect(followed.status).toBe(200);
    expect(followed.text).not.toMatch(/role="status"|Call 555/u);
    const deleted = await new Visitor().get(accountUrl(current(), app, "/deleted"), { "sec-fetch-site": "cross-site" });
    expect(deleted.status).toBe(303);
  });
});

describeSqliteFirst("the account page of a service with one app", (current) => {
  it("is found without the app's id, where password managers look for it", async () => {
    const app = await current().createApp();
    const answer = await call(current(), "GET", "/.well-known/passkey-endpoints", {});
    const address = `${current().url}/account`;
    expect([answer.status, answer.body]).toEqual([200, { enroll: address, manage: address }]);
    const { visitor, email } = await signedUpIn(current(), app);
    expect((await visitor.get(address)).text).toContain(email);
    expect((await new Visitor().get(address)).status).toBe(303);
  });
});

describeSqliteFirst(
  "opening the account page again and again",
  { rateLimits: { ...testConfig.rateLimits, authentication: 3 } },
  (current) => {
    it("is limited, because each time begins a sign-in", async () => {
      const app = await current().createApp();
      const visitor = new Visitor();
      const statuses: number[] = [];
      for (let visit = 0; visit < 5; visit += 1) statuses.push((await openAccount(current(), app, visitor)).status);
      expect(statuses).toEqual([303, 303, 303, 429, 429]);
    });
  },
);
