import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { goodPassword, initiate, newEmail, signUp, Visitor, type Session } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { storedSession, usersOf } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import { backAtTheApp, button, createApp, fillAccount, heading, link, openSignIn } from "./support/steps.ts";

const notFromThisPage = "That didn't come from this page";

describeInBrowser("forms that another site sends", (stage) => {
  type Scene = { app: TestApp; session: Session; email: string };

  /**
   * The attacker's own account and session: whoever signs in to it works in an account that the
   * attacker reads.
   */
  async function attack(): Promise<Scene> {
    const app = await createApp(stage, { name: "Acme" });
    const email = newEmail();
    await signUp(stage.service, app, { email });
    return { app, email, session: await initiate(stage.service, app) };
  }

  /** Opens a page of another origin that sends a form by itself. */
  async function lure(
    page: Page,
    host: string,
    action: string,
    fields: Record<string, string>,
    enctype?: string,
  ): Promise<void> {
    const inputs = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    );
    const type = enctype === undefined ? "" : ` enctype="${enctype}"`;
    const body = `<form method="post" action="${action}"${type}>${inputs.join("")}</form><script>document.forms[0].submit()</script>`;
    stage.site.show("/lure", body);
    await page.goto(`http://${host}:${stage.site.port}/lure`);
    await page.waitForURL(`${stage.service.url}/**`);
  }

  async function expectNobodySignedIn(page: Page, session: Session): Promise<void> {
    expect(await heading(page).textContent()).toBe(notFromThisPage);
    expect(await storedSession(stage.service, session)).toMatchObject({ signedInAt: null, browserDigest: null });
    expect(stage.site.callbacks).toEqual([]);
  }

  const hosts = [
    ["on another port", "localhost"],
    ["on another site", "evil.localhost"],
    ["on an address of its own", "127.0.0.1"],
  ] as const;

  describe.each(hosts)("%s", (_, host) => {
    it("sign nobody in who has not opened the session", async () => {
      const { session, email } = await attack();
      const page = await stage.newPage();
      stage.allowOrigin(`http://${host}:${stage.site.port}`);
      await lure(page, host, `${session.authUrl}/password`, { email, password: goodPassword });
      await expectNobodySignedIn(page, session);
    });

    it("sign nobody in who has the session's page open, not even with a token that the attacker fetched", async () => {
      const { session, email } = await attack();
      const page = await stage.newPage();
      await page.goto(session.authUrl);
      const { token = "" } = (await new Visitor().get(session.authUrl)).form("/password").fields;
      expect(token).toMatch(/^[\w-]{43}$/u);
      stage.allowOrigin(`http://${host}:${stage.site.port}`);
      await lure(page, host, `${session.authUrl}/password`, { email, password: goodPassword, token });
      await expectNobodySignedIn(page, session);
    });

    it("create no account", async () => {
      const { app, session } = await attack();
      const page = await stage.newPage();
      stage.allowOrigin(`http://${host}:${stage.site.port}`);
      await lure(page, host, `${session.authUrl}/create-account`, { email: newEmail(), password: goodPassword });
      await expectNobodySignedIn(page, session);
      expect(await usersOf(stage.service, app)).toHaveLength(1);
    });
  });

  it.each(["multipart/form-data", "text/plain"])("are refused whatever their encoding is: %s", async (enctype) => {
    const { session, email } = await attack();
    const page = await stage.newPage();
    stage.allowOrigin(`http://evil.localhost:${stage.site.port}`);
    await lure(page, "evil.localhost", `${session.authUrl}/password`, { email, password: goodPassword }, enctype);
    await expectNobodySignedIn(page, session);
  });

  it("are refused for a session that does not exist, with the same page", async () => {
    const { session } = await attack();
    const page = await stage.newPage();
    stage.allowOrigin(`http://evil.localhost:${stage.site.port}`);
    const unknown = `${stage.service.url}/sign-in/sis_${"B".repeat(43)}/password`;
    await lure(page, "evil.localhost", unknown, { email: newEmail(), password: goodPassword });
    await expectNobodySignedIn(page, session);
  });

  it("cannot be told from a form of ours only by where they come from: another browser's token is refused too", async () => {
    const { session, email } = await attack();
    const { token = "" } = (await new Visitor().get(session.authUrl)).form("/password").fields;
    const page = await stage.newPage();
    await page.goto(session.authUrl);
    await fillAccount(page, { email, password: goodPassword });
    await page.evaluate(
      `for (const field of document.querySelectorAll("[name=token]")) field.value = ${JSON.stringify(token)}`,
    );
    await button(page, "Sign in").click();
    await page.waitForURL("**/password");
    await expectNobodySignedIn(page, session);
  });

  it("leave a person alone who comes from another site by a link, as everybody does", async () => {
    const app = await createApp(stage);
    const email = newEmail();
    await signUp(stage.service, app, { email });
    const session = await initiate(stage.service, app);
    const page = await stage.newPage();
    stage.site.show("/front", `<a href="${session.authUrl}">Sign in</a>`);
    const elsewhere = `http://evil.localhost:${stage.site.port}`;
    stage.allowOrigin(elsewhere);
    await page.goto(`${elsewhere}/front`);
    await link(page, "Sign in").click();
    await fillAccount(page, { email, password: goodPassword });
    await button(page, "Sign in").click();
    await backAtTheApp(stage, page);
  });

  /** Browsers without Fetch Metadata, and those that hide where a form comes from. */
  describe("as far as a browser says where a form comes from", () => {
    const own = "own";
    const matrix: [site: string | undefined, origin: string | undefined, allowed: boolean][] = [
      ["same-origin", own, true],
      ["same-origin", "null", true],
      ["none", undefined, true],
      [undefined, own, true],
      [undefined, "null", true],
      [undefined, undefined, true],
      ["cross-site", undefined, false],
      ["cross-site", own, false],
      ["same-site", "http://localhost:1", false],
      ["something-new", own, false],
      [undefined, "https://evil.example", false],
      [undefined, "http://localhost:1", false],
      [undefined, "http://localhost", false],
    ];

    it.each(matrix)(
      "a form with the right token, site %s and origin %s: allowed is %s",
      async (site, origin, allowed) => {
        const { session, email } = await attack();
        const status = await postFrom(session, { site, origin }, (token) => ({ email, password: goodPassword, token }));
        expect(status).toBe(allowed ? 303 : 403);
      },
    );

    it.each(matrix.filter(([, , allowed]) => allowed))(
      "a form with a token of another browser, site %s and origin %s, is refused",
      async (site, origin) => {
        const { session, email } = await attack();
        const { token = "" } = (await new Visitor().get(session.authUrl)).form("/password").fields;
        for (const stolen of [token, "", "A".repeat(43)]) {
          const status = await postFrom(session, { site, origin }, () => ({
            email,
            password: goodPassword,
            token: stolen,
          }));
          expect(status).toBe(403);
        }
        expect((await storedSession(stage.service, session)).browserDigest).toBeNull();
      },
    );

    it("a token of another session of the same browser is refused", async () => {
      const { app, session, email } = await attack();
      const visitor = new Visitor();
      const other = await initiate(stage.service, app);
      await visitor.get(session.authUrl);
      const { token = "" } = (await visitor.get(other.authUrl)).form("/password").fields;
      const answer = await visitor.post(`${session.authUrl}/password`, { email, password: goodPassword, token });
      expect(answer.status).toBe(403);
    });

    /**
     * Opens the session's page and posts its password form, saying (or not) where the form comes
     * from.
     */
    async function postFrom(
      session: Session,
      { site, origin }: { site: string | undefined; origin: string | undefined },
      fields: (token: string) => Record<string, string>,
    ): Promise<number> {
      const first = await fetch(session.authUrl);
      const cookie = first.headers.getSetCookie()[0]?.split(";")[0] ?? "";
      const token = /name="token" value="([^"]+)"/u.exec(await first.text())?.[1] ?? "";
      const answer = await fetch(`${session.authUrl}/password`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams(fields(token)),
        headers: {
          cookie,
          ...(site === undefined ? {} : { "sec-fetch-site": site }),
          ...(origin === undefined ? {} : { origin: origin === own ? stage.service.url : origin }),
        },
      });
      return answer.status;
    }
  });

  it("cannot use up a session by a link, either: what a cross-site GET does, nothing", async () => {
    const { app, session } = await attack();
    const page = await stage.newPage();
    const before = await storedSession(stage.service, session);
    const images = ["", "/create-account", "/cancel", "/password", "/passkey"].map(
      (path) => `<img src="${session.authUrl}${path}">`,
    );
    stage.expectComplaint(/./u);
    await page.goto(stage.site.show("/images", images.join("")));
    expect(await storedSession(stage.service, session)).toEqual(before);
    await openSignIn(stage, page, app);
  });
});
