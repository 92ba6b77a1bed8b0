import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { goodPassword, initiate, newEmail, type Session, signedUp } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { auditOf, storedSession, usersOf } from "./support/records.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  button,
  createApp,
  fillAccount,
  heading,
  inPage,
  link,
  openSignIn,
  summary,
  newSignIn,
  createAccount,
} from "./support/steps.ts";

describeInBrowser("one sign-in, one browser", (stage) => {
  /** Signs a person in to a new session of a new app; the browser is back at the app. */
  async function signedIn(): Promise<{ page: Page; session: Session }> {
    const app = await createApp(stage, { name: "Acme" });
    const { email } = await signedUp(stage.service, app);
    const page = await stage.newPage();
    const session = await openSignIn(stage, page, app);
    await fillAccount(page, { email, password: goodPassword }, "Sign in");
    await backAtTheApp(stage, page);
    return { page, session };
  }

  async function expectSignedInPage(page: Page): Promise<void> {
    expect(await heading(page).textContent()).toBe("You're signed in");
    expect(await link(page, "Continue to Acme").getAttribute("href")).toBe(`${stage.site.origin}/`);
    expect(await page.content()).not.toMatch(/code=/u);
  }

  async function doubleClick(javaScriptEnabled: boolean): Promise<{ app: TestApp; page: Page }> {
    const app = await createApp(stage);
    const page = await stage.newPage({ javaScriptEnabled });
    const session = await initiate(stage.service, app);
    await page.goto(`${session.authUrl}/create-account`);
    await fillAccount(page, { email: newEmail(), password: goodPassword });
    await button(page, "Create account").dblclick();
    return { app, page };
  }

  it("shows that the person is signed in when they go back after it", async () => {
    const { page } = await signedIn();
    await page.goBack();
    await expectSignedInPage(page);
  });

  it("shows that the person is signed in when its page is opened again", async () => {
    const { page, session } = await signedIn();
    await page.goto(session.authUrl);
    await expectSignedInPage(page);
    await page.reload();
    await expectSignedInPage(page);
  });

  it("shows that the person is signed in when another tab still has its form", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const profile = await stage.newProfile();
    const [first, second] = [await profile.newPage(), await profile.newPage()];
    const session = await initiate(stage.service, app);
    for (const page of [first, second]) {
      await page.goto(`${session.authUrl}/create-account`);
      await fillAccount(page, { email: newEmail(), password: goodPassword });
    }
    await button(first, "Create account").click();
    await backAtTheApp(stage, first);
    await button(second, "Create account").click();
    await second.getByText("You're signed in").first().waitFor();
    await expectSignedInPage(second);
    expect(await usersOf(stage.service, app)).toHaveLength(1);
    expect(stage.site.callbacks).toHaveLength(1);
  });

  it("gives one account and one code for a double click", async () => {
    const { app, page } = await doubleClick(true);
    expect((await backAtTheApp(stage, page)).get("code")).toMatch(/^[\w-]{43}$/u);
    expect(stage.site.callbacks).toHaveLength(1);
    expect(await usersOf(stage.service, app)).toHaveLength(1);
  });

  it("gives one account and one code for a double click without JavaScript, where both clicks may post", async () => {
    const { app, page } = await doubleClick(false);
    // If the first post is answered before the second leaves, the browser shows the second answer.
    await page.getByRole("heading", { name: /^(?:You are back at Acme|You're signed in)$/u }).waitFor();
    expect(await usersOf(stage.service, app)).toHaveLength(1);
    expect((await auditOf(stage.service, app)).filter((event) => event === "sign-in success")).toHaveLength(1);
  });

  it("answers a press at once: the button says what it does, and further presses send nothing", async () => {
    const { page } = await newSignIn(stage);
    await fillAccount(page, { email: newEmail(), password: goodPassword });
    let posts = 0;
    page.on("request", (request) => (posts += Number(request.url().endsWith("/password"))));
    const seen = await inPage(
      page,
      `() => {
        const button = document.querySelector("form:not([data-passkey]) .button");
        button.click();
        const seen = { text: button.innerText, disabled: button.disabled };
        button.click();
        button.form.requestSubmit();
        return seen;
      }`,
    );
    expect(seen).toEqual({ text: "Signing in…", disabled: true });
    await summary(page).waitFor();
    expect(posts).toBe(1);
    expect(await button(page, "Sign in").isEnabled()).toBe(true);
  });

  it("says that it timed out after ten minutes, whatever the person does, and leads back to the app", async () => {
    const app = await createApp(stage, { name: "Acme" });
    const { email } = await signedUp(stage.service, app);
    const page = await stage.newPage();
    const session = await openSignIn(stage, page, app);
    await fillAccount(page, { email, password: goodPassword });
    stage.service.clock.advance(10 * 60_000);
    await button(page, "Sign in").click();
    await page.getByText("Go back to Acme and start again.").waitFor();
    for (const path of ["", "/create-account", "/cancel"]) {
      const answer = await page.goto(session.authUrl + path);
      expect(answer?.status()).toBe(410);
      expect(await heading(page).textContent()).toBe("This sign-in has timed out");
    }
    await link(page, "Back to Acme").click();
    expect(await heading(page).textContent()).toBe("Acme");
    expect(page.url()).toBe(`${stage.site.origin}/`);
    expect((await storedSession(stage.service, session)).signedInAt).toBeNull();
  });

  it("does not disturb another one in the same browser", async () => {
    const app = await createApp(stage);
    const profile = await stage.newProfile();
    const [first, second] = [await profile.newPage(), await profile.newPage()];
    await openSignIn(stage, first, app, { state: "first" });
    await openSignIn(stage, second, app, { state: "second" });
    for (const [page, state] of [
      [first, "first"],
      [second, "second"],
    ] as const) {
      await createAccount(page, { email: newEmail(), password: goodPassword });
      expect((await backAtTheApp(stage, page)).get("state")).toBe(state);
    }
  });
});
