import type { Page } from "playwright-core";
import * as methods from "../../../src/credentials/methods/service.ts";
import { AppError } from "../../../src/lib/errors.ts";
import { goodPassword, initiate, newEmail } from "../../support/person.ts";
import type { TestApp } from "../../support/service.ts";
import { said } from "./passkey-steps.ts";
import { changeApp, usersOf } from "./records.ts";
import type { Stage } from "./stage.ts";
import { backAtTheApp, beside, button, field, fillAccount, heading, link, openSignIn, summary } from "./steps.ts";

export type Scene = { stage: Stage; page: Page; app: TestApp };
/** A page or a state of it: its name, its heading, and how one gets there in a new browser. */
export type State = [name: string, heading: RegExp, reach: (scene: Scene) => Promise<unknown>];

/** Every page and state that a person can meet on the way to an app. */
export const pageStates: State[] = [
  ["signing in", /^Sign in to /u, async ({ stage, page, app }) => await openSignIn(stage, page, app)],
  ["creating an account", /^Create your .* account$/u, openCreateAccount],
  ["a password that is wrong", /^Sign in to /u, async (scene) => await tryPassword(scene, newEmail())],
  ["an address that is none", /^Sign in to /u, async (scene) => await tryPassword(scene, "nobody", beside)],
  ["a new password that is too short", /^Create your /u, async (scene) => await tryNewPassword(scene, "short")],
  [
    "a new name that is too long",
    /^Create your /u,
    async (scene) => await tryNewPassword(scene, goodPassword, "n".repeat(201)),
  ],
  ["a new password that is easy to guess", /^Create your /u, typeGuessable],
  ["somebody who is signed in", /^Sign in to /u, async (scene) => await openReturning(scene)],
  [
    "somebody else than the one who is signed in",
    /^Sign in to /u,
    async (scene) => {
      await openAccount(scene);
      await openSignIn(scene.stage, scene.page, scene.app);
    },
  ],
  ["a passkey that was not used", /^Sign in to /u, usePasskeyOffline],
  ["a passkey without an address", /^Create your /u, createPasskeyWithoutAddress],
  ["only passkeys", /^Sign in to /u, async (scene) => await openAfter(scene, { methods: { password: false } })],
  ["only passwords", /^Sign in to /u, async (scene) => await openAfter(scene, { methods: { passkey: false } })],
  [
    "a new account by passkey only",
    /^Create your /u,
    async (scene) => await openAfter(scene, { methods: { password: false } }, "/create-account"),
  ],
  ["closed sign-up", /^Sign in to /u, async (scene) => await openAfter(scene, { settings: { signUp: "closed" } })],
  ["a forgotten password", /^Reset your password$/u, async (scene) => await openAfter(scene, {}, "/forgot-password")],
  [
    "a brand of its own",
    /^Sign in to /u,
    async (scene) => await openAfter(scene, { branding: { primaryColor: "#ffe600", companyName: "Yellow Inc" } }),
  ],
  ["a session that timed out", /^This sign-in has timed out$/u, openExpired],
  [
    "a session that never was",
    /^This sign-in has timed out$/u,
    async ({ stage, page }) => await page.goto(`${stage.service.url}/sign-in/none`),
  ],
  ["a session of another browser", /^This sign-in was started in another browser$/u, openAnotherBrowsers],
  [
    "an address to return to that is gone",
    /^This sign-in link doesn't work$/u,
    async (scene) => await openAfter(scene, { redirectUris: [] }),
  ],
  [
    "no method",
    /^There's no way to sign in yet$/u,
    async (scene) => await openAfter(scene, { methods: { passkey: false, password: false } }),
  ],
  ["a form of another site", /^That didn't come from this page$/u, postWithoutToken],
  ["cookies turned off", /^Cookies are turned off$/u, postWithoutCookies],
  [
    "a failure of ours",
    /^Something went wrong$/u,
    async (scene) => await failOnce(scene, new Error("made up by a test")),
  ],
  [
    "too many people",
    /^It's busy right now$/u,
    async (scene) => await failOnce(scene, new AppError("BUSY", "made up by a test")),
  ],
  [
    "too many attempts",
    /^Too many attempts$/u,
    async (scene) => await failOnce(scene, new AppError("RATE_LIMITED", "made up", { retryAfterSeconds: 240 })),
  ],
  ["a success that was left open", /^You're signed in$/u, openFinished],
  ["an account", /^Your .* account$/u, async (scene) => await openAccount(scene)],
  ["a profile with a mistake in it", /^Edit your profile$/u, saveBadPicture],
  ["the last way to sign in, which stays", /^Remove your password\?$/u, removeLastMethod],
  [
    "an account about to be deleted",
    /^Delete your /u,
    async (scene) => await openAccount(scene, "Delete your account"),
  ],
  ["one's own data", /^Download your data$/u, async (scene) => await openAccount(scene, "Download your data")],
  [
    "a logout that a client asks for",
    /^Sign out of /u,
    async (scene) => {
      await openAccount(scene);
      await scene.page.goto(`${scene.stage.service.url}/oauth2/end-session?client_id=${scene.app.id}`);
    },
  ],
  [
    "an account that was left",
    /^You're signed out$/u,
    async (scene) => {
      await openAccount(scene);
      await button(scene.page, "Sign out").click();
      await heading(scene.page).filter({ hasText: "signed out" }).waitFor();
    },
  ],
];

async function openCreateAccount({ stage, page, app }: Scene): Promise<void> {
  await openSignIn(stage, page, app);
  await link(page, "Create account").click();
  await button(page, "Create account").waitFor();
}

async function openAfter(
  { stage, page, app }: Scene,
  change: Parameters<typeof changeApp>[2],
  path = "",
): Promise<void> {
  const { authUrl } = await initiate(stage.service, app);
  await changeApp(stage.service, app, change);
  await page.goto(authUrl + path);
}

async function tryPassword({ stage, page, app }: Scene, email: string, words = summary): Promise<void> {
  await openSignIn(stage, page, app);
  await fillAccount(page, { email, password: goodPassword }, "Sign in");
  await words(page).waitFor();
}

async function tryNewPassword(scene: Scene, password: string, name = "Ada"): Promise<void> {
  await openCreateAccount(scene);
  await fillAccount(scene.page, { email: newEmail(), password, name }, "Create account");
  await beside(scene.page).waitFor();
}

async function typeGuessable(scene: Scene): Promise<void> {
  await openCreateAccount(scene);
  await field(scene.page, "Password").fill("qwertyuiopasdfgh");
  await scene.page.getByText("This is a keyboard pattern.").waitFor();
}

async function openReturning(scene: Scene): Promise<void> {
  await openAccount(scene);
  await scene.page.goto((await initiate(scene.stage.service, scene.app)).authUrl);
}

async function usePasskeyOffline({ stage, page, app }: Scene): Promise<void> {
  await openSignIn(stage, page, app);
  await page.route("**/passkey/options", async (route) => await route.abort());
  stage.expectComplaint(/ERR_FAILED/u);
  await button(page, "Sign in with a passkey").click();
  await said(page);
}

async function createPasskeyWithoutAddress(scene: Scene): Promise<void> {
  await openCreateAccount(scene);
  await button(scene.page, "Create a passkey").click();
  await scene.page.getByText("Enter your email address.", { exact: true }).waitFor();
}

async function openExpired({ stage, page, app }: Scene): Promise<void> {
  const { authUrl } = await initiate(stage.service, app);
  stage.service.clock.advance(600_000);
  await page.goto(authUrl);
}

async function openAnotherBrowsers(scene: Scene): Promise<void> {
  const other = await scene.stage.newPage();
  await tryPassword({ ...scene, page: other }, newEmail());
  await scene.page.goto(new URL(other.url()).href.replace(/\/password$/u, ""));
}

/** The form's token is taken out, as in a form that another site wrote. */
async function postWithoutToken({ stage, page, app }: Scene): Promise<void> {
  await openSignIn(stage, page, app);
  await page.evaluate("for (const field of document.querySelectorAll('[name=token]')) field.remove()");
  await fillAccount(page, { email: newEmail(), password: goodPassword }, "Sign in");
  await page.waitForURL("**/password");
}

async function postWithoutCookies({ stage, page, app }: Scene): Promise<void> {
  await openSignIn(stage, page, app);
  await page.context().clearCookies();
  await fillAccount(page, { email: newEmail(), password: goodPassword }, "Sign in");
  await page.waitForURL("**/password");
}

async function failOnce({ stage, page, app }: Scene, error: Error): Promise<void> {
  const { authUrl } = await initiate(stage.service, app);
  stage.expectComplaint(/status of 500/u);
  const { ctx } = stage.service.server.app;
  const { storage } = ctx;
  ctx.storage = {
    ...storage,
    get reader(): never {
      throw error;
    },
  };
  try {
    await page.goto(authUrl);
  } finally {
    ctx.storage = storage;
  }
}

/** Creates an account in this browser and opens its page, or what a link of it leads to. */
async function openAccount(scene: Scene, onwards?: string): Promise<void> {
  const { stage, page, app } = scene;
  await openCreateAccount(scene);
  await fillAccount(page, { email: newEmail(), password: goodPassword, name: "Ada" }, "Create account");
  await backAtTheApp(stage, page);
  await page.goto(`${stage.service.url}/account?app_id=${app.id}`);
  if (onwards === undefined) return;
  await link(page, onwards).click();
  await heading(page)
    .filter({ hasNotText: /^Your .* account$/u })
    .waitFor();
}

async function saveBadPicture(scene: Scene): Promise<void> {
  await openAccount(scene, "Edit your profile");
  await scene.page.getByLabel("Link to a picture", { exact: true }).fill("no address");
  await button(scene.page, "Save").click();
  await beside(scene.page).waitFor();
}

async function removeLastMethod(scene: Scene): Promise<void> {
  await openAccount(scene);
  const { stage, app, page } = scene;
  const [user] = (await usersOf(stage.service, app)).slice(-1);
  const [method] = await methods.list(stage.service.server.app.ctx.storage.reader, user?.id ?? "");
  await page.goto(`${stage.service.url}/account/methods/${method?.id}/remove?app_id=${app.id}`);
  await summary(page).waitFor();
}

async function openFinished({ stage, page, app }: Scene): Promise<void> {
  const { authUrl } = await initiate(stage.service, app);
  await page.goto(`${authUrl}/create-account`);
  await fillAccount(page, { email: newEmail(), password: goodPassword }, "Create account");
  await backAtTheApp(stage, page);
  await page.goto(authUrl);
}
