import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { goodPassword, initiate, Visitor, type Session, signedUp } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { storedSession } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import { heading, backAtTheApp, createApp, fillAccount, link } from "./support/steps.ts";

const notFromThisPage = "That didn't come from this page";

describeInBrowser("forms that another site sends", (stage) => {
  type Scene = { app: TestApp; session: Session; email: string };

  /**
   * The attacker's own account and session: whoever signs in to it works in an account that the
   * attacker reads.
   */
  async function attack(): Promise<Scene> {
    const app = await createApp(stage, { name: "Acme" });
    const { email } = await signedUp(stage.service, app);
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
  });

  it("leave a person alone who comes from another site by a link, as everybody does", async () => {
    const app = await createApp(stage);
    const { email } = await signedUp(stage.service, app);
    const session = await initiate(stage.service, app);
    const page = await stage.newPage();
    stage.site.show("/front", `<a href="${session.authUrl}">Sign in</a>`);
    const elsewhere = `http://evil.localhost:${stage.site.port}`;
    stage.allowOrigin(elsewhere);
    await page.goto(`${elsewhere}/front`);
    await link(page, "Sign in").click();
    await fillAccount(page, { email, password: goodPassword }, "Sign in");
    await backAtTheApp(stage, page);
  });
});
