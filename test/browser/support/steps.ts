import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { NewApplication } from "../../../src/applications/new-application.ts";
import { codeInMailbox, initiate, type Session, type Visitor } from "../../support/person.ts";
import type { TestApp } from "../../support/service.ts";
import type { Stage } from "./stage.ts";

/** An app whose people come back to the stage's site. */
export async function createApp(stage: Stage, input: Partial<NewApplication> = {}): Promise<TestApp> {
  return await stage.service.createApp({ redirectUris: [`${stage.site.origin}/callback`], ...input });
}

/** A page in a browser that has the cookies of this visitor. */
export async function pageFor(
  stage: Stage,
  { url, visitor }: { url: string; visitor: Visitor },
  options: BrowserContextOptions = {},
): Promise<Page> {
  stage.allowOrigin(url);
  const profile = await stage.newProfile({ reducedMotion: "reduce", ...options });
  await profile.addCookies([...visitor.cookies].map(([name, value]) => ({ name, value, url })));
  return await profile.newPage();
}

/** Starts a sign-in for the app and opens its page. */
export async function startSignIn(
  stage: Stage,
  page: Page,
  app: TestApp,
  extra: Record<string, unknown> = {},
): Promise<Session> {
  const session = await initiate(stage.service, app, extra);
  await page.goto(session.authUrl);
  return session;
}

/**
 * The same, with all ways to sign in: for somebody who is signed in, they are folded. Not for a
 * page that goes on by itself, as one with autofill and a passkey does.
 */
export async function openSignIn(
  stage: Stage,
  page: Page,
  app: TestApp,
  extra: Record<string, unknown> = {},
): Promise<Session> {
  const session = await startSignIn(stage, page, app, extra);
  const others = page.getByText("Use another account", { exact: true });
  if (await others.isVisible()) await others.click();
  return session;
}

/** A sign-in of a new app, opened in a new browser. */
export async function newSignIn(
  stage: Stage,
  given: { app?: Partial<NewApplication>; browser?: BrowserContextOptions; ask?: Record<string, unknown> } = {},
): Promise<{ app: TestApp; page: Page; session: Session }> {
  const [app, page] = [await createApp(stage, given.app), await stage.newPage(given.browser)];
  return { app, page, session: await openSignIn(stage, page, app, given.ask) };
}

export function field(page: Page, name: "Email" | "Password" | "Name"): Locator {
  return page.getByLabel(name, { exact: true });
}

export function button(page: Page, name: string): Locator {
  return page.getByRole("button", { name, exact: true });
}

export function link(page: Page, name: string): Locator {
  return page.getByRole("link", { name, exact: true });
}

export function heading(page: Page): Locator {
  return page.getByRole("heading", { level: 1 });
}

/** What no field can say. */
export function summary(page: Page): Locator {
  return page.getByRole("alert");
}

/** What a field says. */
export function beside(page: Page): Locator {
  return page.locator(".beside:visible");
}

/** Fills in the form, and sends it by the button of this name. */
export async function fillAccount(
  page: Page,
  person: { email: string; password: string; name?: string },
  press?: string,
): Promise<void> {
  await field(page, "Email").fill(person.email);
  if (person.name !== undefined) await field(page, "Name").fill(person.name);
  await field(page, "Password").fill(person.password);
  if (press !== undefined) await button(page, press).click();
}

/** From the sign-in page to the form for a new account, which is filled in and sent. */
export async function createAccount(page: Page, person: Parameters<typeof fillAccount>[1]): Promise<void> {
  await link(page, "Create account").click();
  await page.waitForURL("**/create-account");
  await fillAccount(page, person, "Create account");
}

/** In development mode: enters the code of the mail that a new account waits for. */
export async function confirmAddress(page: Page, email: string): Promise<void> {
  await page.getByLabel("Code", { exact: true }).fill(await codeInMailbox(page.url(), email));
}

/** Waits until the browser is back at the app; what it brought along. */
export async function backAtTheApp(stage: Stage, page: Page): Promise<URLSearchParams> {
  await page.waitForURL(`${stage.site.origin}/callback?*`);
  expect(await heading(page).textContent()).toBe("You are back at Acme");
  const brought = stage.site.callbacks.at(-1);
  if (brought === undefined) throw new Error("nobody came back to the app");
  return brought;
}

/** Runs a function, given as source, in the page: these sources know no browser types. */
export async function inPage<T>(page: Page, source: string, argument?: unknown): Promise<T> {
  return await page.evaluate<T>(`(${source})(${JSON.stringify(argument) ?? ""})`);
}

/** What has the focus. */
export async function focused(page: Page): Promise<{ tag: string; id: string; role: string | null; text: string }> {
  return await inPage(
    page,
    `() => {
      const { localName, id, textContent, ariaLabel } = document.activeElement;
      const role = document.activeElement.getAttribute("role");
      return { tag: localName, id, role, text: (ariaLabel ?? textContent).trim() };
    }`,
  );
}
