import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { App } from "../app.ts";
import type { Actor } from "../audit/audit.ts";
import { seeOther } from "../http/answer.ts";
import { route, type Route } from "../http/route.ts";
import { AppError } from "../lib/errors.ts";
import type { ProviderInput } from "../oauth/accounts.ts";
import type { Assets } from "../pages/assets.ts";
import { demoHandler } from "./demo-routes.ts";
import { mailboxRoutes } from "./mailbox-routes.ts";
import { createStandIns } from "./providers/routes.ts";
import { standInOrigin } from "./providers/stand-ins.ts";
import { onThisMachine } from "./this-machine.ts";

export type DemoApp = { appId: string; apiKey: string; callbackUrl: string };

export type Development = Awaited<ReturnType<typeof openDevelopment>>;

const appId = "app_demo";
const actor: Actor = { kind: "service", name: "development" };

/**
 * What `serve --dev` adds: a demo application, pages that show how it signs people in, and stand-ins for the providers. None of it exists
 * otherwise. `listenAddress` reaches this process without a proxy or a name: "http://127.0.0.1:8080".
 */
export async function openDevelopment(
  app: App,
  { dataDir, listenAddress }: { dataDir: string; listenAddress: string },
) {
  const demoUrl = `${app.baseUrl}/dev/demo`;
  const callbackUrl = `${demoUrl}/callback`;
  const apiKey = await openDemoApp(app, callbackUrl, join(dataDir, "demo-api-key"));
  const { baseUrl, clock, random, mailbox } = app;
  const origin = standInOrigin(baseUrl, listenAddress);
  const standIns = createStandIns({ baseUrl, origin, clock, random });
  await setStandInAccounts(app, standIns.accounts);
  return {
    /** `mailUrl`: the mailbox; undefined when a mail server is configured. */
    info: { appId, apiKey, demoUrl, mailUrl: mailbox && `${baseUrl}/dev/mail` },

    routes(assets: Assets): Route[] {
      const demo = demoHandler({ demo: { appId, apiKey, callbackUrl }, assets: assets.links, baseUrl: app.baseUrl });
      const fromHere = onThisMachine(app.baseUrl, origin);
      return [
        route("GET", "/", fromHere, undefined, () => seeOther(demoUrl)),
        route("GET", "/dev/demo", fromHere, undefined, demo),
        route("GET", "/dev/demo/callback", fromHere, undefined, demo),
        ...(mailbox ? mailboxRoutes(mailbox, { baseUrl, assets: assets.links, fromHere }) : []),
        ...standIns.routes(assets.links, fromHere),
      ];
    },
  };
}

/** The demo application with an API key that stays the same over restarts: an integration under way keeps working. */
async function openDemoApp(app: App, callbackUrl: string, keyFile: string): Promise<string> {
  const { applications } = app.services;
  const existing = await applications.find(appId);
  const kept = existing && (await goodKey(app, keyFile));
  if (existing) await applications.addRedirectUri(appId, callbackUrl, actor);
  if (kept !== undefined) return kept;
  const apiKey = existing
    ? (await applications.createKey({ appId }, actor)).apiKey
    : (
        await applications.createWithKey(
          { id: appId, name: "Acme", redirectUris: [callbackUrl], branding: { primaryColor: "#4f46e5" } },
          {},
          actor,
        )
      ).apiKey;
  // With PostgreSQL and a master key from the environment, nothing has needed the data folder yet.
  mkdirSync(dirname(keyFile), { recursive: true, mode: 0o700 });
  writeFileSync(keyFile, `${apiKey}\n`, { mode: 0o600 });
  return apiKey;
}

/** At each start, because the port and so their addresses may have changed. An account that a developer set with a real provider stays. */
async function setStandInAccounts({ services: { providers } }: App, accounts: ProviderInput[]): Promise<void> {
  const present = new Map((await providers.list(appId)).map(({ name, clientId }) => [name, clientId]));
  for (const account of accounts) {
    if ([undefined, account.clientId].includes(present.get(account.name))) await providers.set(appId, account, actor);
  }
}

async function goodKey(app: App, keyFile: string): Promise<string | undefined> {
  try {
    const apiKey = readFileSync(keyFile, "utf8").trim();
    const owner = await app.services.applications.authenticate(apiKey);
    return owner.id === appId ? apiKey : undefined;
  } catch (error) {
    if (error instanceof AppError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
