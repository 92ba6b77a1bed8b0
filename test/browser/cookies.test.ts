import type { Cookie, Page } from "playwright-core";
import { expect, it } from "vitest";
import { timeZoneCookie } from "../../src/lib/time-zone.ts";
import { goodPassword, newEmail } from "../support/person.ts";
import { describeInBrowser } from "./support/stage.ts";
import { backAtTheApp, fillAccount, openSignIn, newSignIn } from "./support/steps.ts";

/** A browser's cookies of sign-ins, and its others. */
async function cookiesOf(page: Page): Promise<[signIns: Cookie[], others: Cookie[]]> {
  const all = await page.context().cookies();
  const isSignIn = ({ name }: Cookie): boolean => name.startsWith("authsvc-");
  return [all.filter(isSignIn), all.filter((cookie) => !isSignIn(cookie))];
}

describeInBrowser("the cookie of a sign-in in a browser", (stage) => {
  it("is the only one but for the time zone, is kept from scripts, and is worth nothing elsewhere", async () => {
    const { page, session } = await newSignIn(stage);
    const [[cookie], others] = await cookiesOf(page);
    expect(others.map(({ name }) => name)).toEqual([timeZoneCookie]);
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", secure: false, path: "/", domain: "localhost" });
    expect(cookie?.value).toMatch(/^[\w-]{43}$/u);
    expect(cookie?.name).not.toContain(session.sessionId.slice(4, 12));
    const zone = await page.evaluate("new Intl.DateTimeFormat().resolvedOptions().timeZone");
    expect(await page.evaluate("document.cookie")).toBe(`${timeZoneCookie}=${String(zone)}`);
  });

  it("stays the same from the first page to the app, so that a second tab is the same browser", async () => {
    const { page, session } = await newSignIn(stage);
    const [[before]] = await cookiesOf(page);
    const second = await page.context().newPage();
    await second.goto(`${session.authUrl}/create-account`);
    expect((await cookiesOf(page))[0].map(({ value }) => value)).toEqual([before?.value]);
    await fillAccount(second, { email: newEmail(), password: goodPassword }, "Create account");
    await backAtTheApp(stage, second);
  });

  it("differs for each sign-in, so that none can be followed by it", async () => {
    const { app, page } = await newSignIn(stage);
    await openSignIn(stage, page, app);
    const [cookies] = await cookiesOf(page);
    expect(new Set(cookies.map(({ name }) => name)).size).toBe(2);
    expect(new Set(cookies.map(({ value }) => value)).size).toBe(2);
  });
});
