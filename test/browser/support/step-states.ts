import * as applications from "../../../src/applications/service.ts";
import { addingSession, signedUpIn } from "../../support/adding.ts";
import { addVirtualAuthenticator } from "../../support/chromium.ts";
import { codeAt } from "../../support/factors.ts";
import { withMemberships } from "../../support/memberships.ts";
import { goodPassword, newEmail, signUp } from "../../support/person.ts";
import { startProvider } from "../../support/providers/provider.ts";
import { setProvider } from "../../support/providers/round.ts";
import type { Scene, State } from "./states.ts";
import { changeApp } from "./records.ts";
import { beside, button, fillAccount, heading, link, openSignIn } from "./steps.ts";

/** The pages after a proof, and those that add a way to sign in. */
export const stepStates: State[] = [
  ["a passkey that is required", /^Create a passkey to continue$/u, async (scene) => await proveWithRequired(scene)],
  ["a passkey on offer", /^Sign in faster next time$/u, reachOffer],
  ["a proof that is asked for", /^Confirm it's you$/u, async (scene) => await openAdding(scene, { type: "passkey" })],
  ["a passkey to add", /^Add a passkey$/u, async (scene) => await confirm(scene, { type: "passkey" })],
  ["a password to change", /^Change your password$/u, async (scene) => await confirm(scene, { type: "password" })],
  ["a new password that is refused", /^Change your password$/u, saveShortPassword],
  ["a provider to add", /^Add Google$/u, addProvider],
  ["an authenticator app to set up", /^Set up an authenticator app$/u, async (scene) => void (await openSetUp(scene))],
  ["a first code that is wrong", /^Set up an authenticator app$/u, async (scene) => await confirmSetUp(scene, "")],
  ["recovery codes", /^Keep your recovery codes$/u, async (scene) => await confirmSetUp(scene)],
  ["an account with a second step", /^Your .* account$/u, openWithFactor],
  ["a code that is asked for", /^Enter your code$/u, openSecondStep],
  ["an organization to choose", /^Choose an organization$/u, async (scene) => await openChoice(scene, 9)],
  ["an organization that is needed", /^You need an organization$/u, async (scene) => await openChoice(scene, 0)],
  [
    "a recovery code that is asked for",
    /^Enter a recovery code$/u,
    async (scene) => {
      await openSecondStep(scene);
      await link(scene.page, "Use a recovery code").click();
      await scene.page.getByLabel("Recovery code", { exact: true }).waitFor();
    },
  ],
];

async function proveByPassword({ stage, page, app }: Scene): Promise<void> {
  const email = newEmail();
  await signUp(stage.service, app, { email });
  await openSignIn(stage, page, app);
  await page.waitForLoadState("networkidle");
  await fillAccount(page, { email, password: goodPassword }, "Sign in");
  await button(page, "Create a passkey").waitFor();
}

async function openChoice({ stage, page, app }: Scene, count: number): Promise<void> {
  const person = await withMemberships(stage.service, count === 0 ? { organizations: "required" } : {}, app);
  for (let number = 1; number <= count; number += 1) await person.found(`Workshop of ${number} people`);
  await openSignIn(stage, page, app);
  await page.waitForLoadState("networkidle");
  await fillAccount(page, { email: person.email, password: goodPassword }, "Sign in");
  await page.getByText(person.email).waitFor();
}

async function proveWithRequired(scene: Scene): Promise<void> {
  const change = { authMethods: { passkey: { required: true } } };
  const actor = { kind: "cli", name: "test" } as const;
  await applications.update(scene.stage.service.server.app.ctx, scene.app.id, change, actor);
  await proveByPassword(scene);
}

async function reachOffer(scene: Scene): Promise<void> {
  await addVirtualAuthenticator(scene.page);
  await proveByPassword(scene);
}

/** The address of the account that is asked about. */
async function openAdding({ stage, page, app }: Scene, body: Record<string, unknown>): Promise<string> {
  const { accessToken, email } = await signedUpIn(stage.service, app);
  const session = await addingSession(stage.service, app, accessToken, body);
  await page.goto(session.authUrl);
  return email;
}

async function confirm(scene: Scene, body: Record<string, unknown>): Promise<void> {
  const email = await openAdding(scene, body);
  await fillAccount(scene.page, { email, password: goodPassword }, "Sign in");
  await scene.page.getByText(email).waitFor();
}

async function saveShortPassword(scene: Scene): Promise<void> {
  await confirm(scene, { type: "password" });
  await scene.page.getByLabel("New password").fill("short");
  await button(scene.page, "Save password").click();
  await beside(scene.page).waitFor();
}

async function addProvider(scene: Scene): Promise<void> {
  const provider = await startProvider("google");
  try {
    await setProvider(scene.stage.service, scene.app, provider);
    const change = { authMethods: { oauth: { enabled: true } } };
    const actor = { kind: "cli", name: "test" } as const;
    await applications.update(scene.stage.service.server.app.ctx, scene.app.id, change, actor);
    await confirm(scene, { type: "oauth", provider: "google" });
  } finally {
    await provider.close();
  }
}

/** On the page that sets an app up; the key that it shows. */
async function openSetUp({ stage, page, app }: Scene): Promise<{ key: string; email: string }> {
  await changeApp(stage.service, app, { settings: { secondFactor: "optional", trustBrowsersDays: 30 } });
  const email = newEmail();
  await signUp(stage.service, app, { email });
  await page.goto(`${stage.service.url}/account?app_id=${app.id}`);
  await fillAccount(page, { email, password: goodPassword });
  await button(page, "Sign in").click();
  await link(page, "Set up an authenticator app").click();
  return { email, key: (await page.locator(".key").textContent()) ?? "" };
}

async function confirmSetUp(scene: Scene, code?: string): Promise<string> {
  const { page, stage } = scene;
  const { key, email } = await openSetUp(scene);
  await page.getByLabel("Code that the app shows").fill(code ?? codeAt(key, stage.service.clock.now));
  await button(page, "Turn on").click();
  if (code === undefined) await heading(page).filter({ hasText: "recovery codes" }).waitFor();
  else await beside(page).waitFor();
  return email;
}

async function openWithFactor(scene: Scene): Promise<void> {
  await confirmSetUp(scene);
  await link(scene.page, "I have kept them").click();
  await scene.page.getByRole("status").waitFor();
}

async function openSecondStep(scene: Scene): Promise<void> {
  const email = await confirmSetUp(scene);
  await openSignIn(scene.stage, scene.page, scene.app);
  await fillAccount(scene.page, { email, password: goodPassword });
  await button(scene.page, "Sign in").click();
  await scene.page.getByLabel("Code", { exact: true }).waitFor();
}
