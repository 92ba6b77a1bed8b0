import { expect, it } from "vitest";
import { goodPassword, newEmail } from "../support/person.ts";
import type { TestApp } from "../support/service.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  beside,
  button,
  createApp,
  field,
  fillAccount,
  focused,
  link,
  openSignIn,
  summary,
  newSignIn,
  createAccount,
} from "./support/steps.ts";

describeInBrowser("a form, while it is filled in", (stage) => {
  it("tells everything that is wrong before it is sent, and keeps the password", async () => {
    const { page } = await newSignIn(stage);
    await createAccount(page, { email: "ada", password: "too short" });
    await beside(page).first().waitFor();
    expect(await focused(page)).toMatchObject({ id: "email" });
    expect(await page.title()).toMatch(/^Error: Create /u);
    expect(await beside(page).count()).toBe(2);
    expect(await summary(page).count()).toBe(0);
    expect(await field(page, "Password").inputValue()).toBe("too short");
    await fillAccount(page, { email: `ada.${Date.now()}@example.org`, password: goodPassword }, "Create account");
    await backAtTheApp(stage, page);
  });

  it("tells everything that is wrong at once without JavaScript too, and holds no password", async () => {
    const { page } = await newSignIn(stage, { browser: { javaScriptEnabled: false } });
    await createAccount(page, { email: "ada", password: "too short" });
    await beside(page).first().waitFor();
    expect(await focused(page)).toMatchObject({ id: "email" });
    expect(await beside(page).count()).toBe(2);
    expect(await summary(page).count()).toBe(0);
    expect(await page.content()).not.toContain("too short");
  });

  /** Opens the page for a new account; `check` counts what it asks about passwords. */
  async function openCreateAccount(app: TestApp) {
    const page = await stage.newPage();
    let asked = 0;
    let held = Promise.resolve();
    await page.route("**/password-check", async (route) => {
      asked += 1;
      await held;
      await route.continue();
    });
    await openSignIn(stage, page, app);
    await link(page, "Create account").click();
    await page.waitForURL("**/create-account");
    /** No answer comes until the returned function is called. */
    const hold = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    };
    return { page, mark: page.locator("[data-check]"), asked: () => asked, hold };
  }

  it("counts up to the shortest password of the application, then says what the service thinks of it", async () => {
    const { page, mark, asked, hold } = await openCreateAccount(await createApp(stage));
    await field(page, "Password").fill("twelve chars");
    expect([await mark.getAttribute("data-count"), await mark.textContent()]).toEqual(["12 / 15", ""]);
    await field(page, "Password").fill("");
    await field(page, "Password").pressSequentially("qwertyuiopasdfgh");
    await mark.filter({ hasText: "This is a keyboard pattern. Choose something less predictable." }).waitFor();
    expect(asked()).toBeLessThan(4);
    const answer = hold();
    await field(page, "Password").fill("one of the good ones: sixty herons");
    expect([await mark.getAttribute("data-count"), await mark.textContent()]).toEqual(["", ""]);
    answer();
    await mark.filter({ hasText: "Strong enough" }).waitFor();
  });

  it("keeps a password that the service would refuse, says why beside it, and takes the next one", async () => {
    const { page } = await openCreateAccount(await createApp(stage));
    await fillAccount(page, { email: newEmail(), password: "password12345678" });
    // At once: before the page has asked by itself.
    await button(page, "Create account").click();
    await beside(page).waitFor();
    expect(page.url()).toMatch(/\/create-account$/u);
    expect(await field(page, "Password").inputValue()).toBe("password12345678");
    expect(await beside(page).textContent()).toContain("This is made of common passwords.");
    await field(page, "Password").fill(goodPassword);
    expect(await beside(page).count()).toBe(0);
    await button(page, "Create account").click();
    await backAtTheApp(stage, page);
  });

  it("judges by the words of the person, as the form does", async () => {
    const { page, mark } = await openCreateAccount(await createApp(stage));
    await field(page, "Name").fill("Wilhelmina Grasshopper");
    await field(page, "Password").fill("wilhelmina grasshopper");
    await mark.filter({ hasText: "This is mostly your name" }).waitFor();
    // The name was the mistake: the same password is sent once it is another one.
    await field(page, "Email").fill(newEmail());
    await field(page, "Name").fill("Ada");
    await button(page, "Create account").click();
    await backAtTheApp(stage, page);
  });

  it("says nothing while the service does not answer, and sends the form all the same", async () => {
    const { page, mark } = await openCreateAccount(await createApp(stage));
    await page.route("**/password-check", async (route) => await route.abort());
    stage.expectComplaint(/ERR_FAILED/u);
    const failed = page.waitForEvent("requestfailed");
    await fillAccount(page, { email: newEmail(), password: goodPassword });
    await failed;
    expect(await mark.textContent()).toBe("");
    await button(page, "Create account").click();
    await backAtTheApp(stage, page);
  });

  it("has the cursor in the first field, but not on a phone", async () => {
    const app = await createApp(stage);
    const desk = await stage.newPage();
    await openSignIn(stage, desk, app);
    expect(await focused(desk)).toMatchObject({ id: "email" });
    const phone = await stage.newPage({ isMobile: true, hasTouch: true });
    await openSignIn(stage, phone, app);
    expect(await focused(phone)).toMatchObject({ tag: "body" });
  });
});
