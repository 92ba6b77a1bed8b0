import { expect, it } from "vitest";
import { goodPassword } from "../support/person.ts";
import { describeInBrowser } from "./support/stage.ts";
import {
  backAtTheApp,
  button,
  createApp,
  field,
  fillAccount,
  focused,
  link,
  openSignIn,
  summary,
} from "./support/steps.ts";

describeInBrowser("a form, while it is filled in", (stage) => {
  it("tells everything that is wrong before it is sent, and keeps the password", async () => {
    const page = await stage.newPage();
    await openSignIn(stage, page, await createApp(stage));
    await link(page, "Create account").click();
    await page.waitForURL("**/create-account");
    await fillAccount(page, { email: "ada", password: "too short" });
    await button(page, "Create account").click();
    await summary(page).waitFor();
    expect(await focused(page)).toMatchObject({ role: "alert" });
    expect(await page.title()).toMatch(/^Error: Create /u);
    expect(await page.locator(".summary a").count()).toBe(2);
    expect(await field(page, "Password").inputValue()).toBe("too short");
    await fillAccount(page, { email: `ada.${Date.now()}@example.org`, password: goodPassword });
    await button(page, "Create account").click();
    await backAtTheApp(stage, page);
  });

  it("tells everything that is wrong at once without JavaScript too, and holds no password", async () => {
    const page = await stage.newPage({ javaScriptEnabled: false });
    await openSignIn(stage, page, await createApp(stage));
    await link(page, "Create account").click();
    await fillAccount(page, { email: "ada", password: "too short" });
    await button(page, "Create account").click();
    await summary(page).waitFor();
    expect(await page.locator(".summary a").count()).toBe(2);
    expect(await page.content()).not.toContain("too short");
  });

  it("counts up to the shortest password of the application, then says that it is long enough", async () => {
    const page = await stage.newPage();
    await openSignIn(stage, page, await createApp(stage));
    await link(page, "Create account").click();
    await field(page, "Password").fill("twelve chars");
    const mark = page.locator("[data-enough]");
    expect([await mark.getAttribute("data-count"), await mark.textContent()]).toEqual(["12 / 15", ""]);
    await field(page, "Password").fill("fifteen chars!!");
    expect([await mark.getAttribute("data-count"), await mark.textContent()]).toEqual(["", "Long enough"]);
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
