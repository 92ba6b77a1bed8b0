import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { App } from "../app.ts";
import type { Actor } from "../audit/audit.ts";
import { seeOther } from "../http/answer.ts";
import { route, type Route } from "../http/route.ts";
import { writePrivately } from "../lib/durable-files.ts";
import { AppError } from "../lib/errors.ts";
import { makePrivateFolder } from "../lib/private-folder.ts";
import type { ProviderInput } from "../oauth/provider-input.ts";
import type { Assets } from "../pages/assets.ts";
import { demoHandler } from "./demo-routes.ts";
import { hookRoutes } from "./hook-routes.ts";
import { demoAppId as appId, demoCallbackPath } from "./left.ts";
import { mailboxRoutes } from "./mailbox-routes.ts";
import { createStandIns } from "./providers/routes.ts";
import { standInOrigin } from "./providers/stand-ins.ts";
import { onThisMachine } from "./this-machine.ts";

export type Development = Awaited<ReturnType<typeof openDevelopment>>;

const hooksPath = "/dev/demo/hooks";
const actor: Actor = { kind: "service", name: "development" };

/**
 * What `serve --dev` adds: a demo application with its pages, and stand-ins for providers. Without
 * it the pages do not exist, and leftovers in the database are disabled (`left.ts`).
 * `listenAddress` reaches this process without a proxy or name: "http://127.0.0.1:8080".
 * `redirectUris` are added to the demo application's, so that developers can use it with their own
 * program.
 */
export async function openDevelopment(
  app: App,
  { dataDir, listenAddress, redirectUris }: { dataDir: string; listenAddress: string; redirectUris: readonly string[] },
) {
  const demoUrl = `${app.baseUrl}/dev/demo`;
  const callbackUrl = `${app.baseUrl}${demoCallbackPath}`;
  const apiKey = await openDemoApp(app, callbackUrl, join(dataDir, "demo-api-key"));
  const wikiId = await openDemoClient(app, callbackUrl);
  await app.services.applications.addRedirectUris(appId, redirectUris, actor);
  const registered = (await app.services.applications.get(appId)).redirectUris;
  const { baseUrl, clock, random, mailbox } = app;
  const origin = standInOrigin(baseUrl, listenAddress);
  const standIns = createStandIns({ baseUrl, origin, clock, random });
  await setStandInAccounts(app, standIns.accounts);
  await removeDemoEndpoints(app);
  return {
    /**
     * `mailUrl`: the mailbox; undefined if a mail server is configured. `redirectUris`: those not
     * of a demo page.
     */
    info: {
      appId,
      apiKey,
      demoUrl,
      mailUrl: mailbox && `${baseUrl}/dev/mail`,
      redirectUris: registered.filter((uri) => !uri.endsWith(demoCallbackPath)),
    },

    routes(assets: Assets): Route[] {
      const hooksUrl = `${listenAddress}${hooksPath}`;
      const demo = demoHandler({
        demo: { appId, apiKey, callbackUrl, hooksUrl, wikiId },
        assets: assets.links,
        baseUrl,
      });
      const fromHere = onThisMachine(app.baseUrl, origin);
      return [
        route("GET", "/", fromHere, undefined, () => seeOther(demoUrl)),
        route("GET", "/dev/demo", fromHere, undefined, demo),
        route("GET", demoCallbackPath, fromHere, undefined, demo),
        ...hookRoutes({ clock, fromHere }),
        ...(mailbox ? mailboxRoutes(mailbox, { baseUrl, assets: assets.links, fromHere }) : []),
        ...standIns.routes(assets.links, fromHere),
      ];
    },
  };
}

/**
 * The demo application with an API key that survives restarts, so that an integration keeps
 * working.
 */
async function openDemoApp(app: App, callbackUrl: string, keyFile: string): Promise<string> {
  const { applications } = app.services;
  const existing = await applications.find(appId);
  const kept = existing && (await goodKey(app, keyFile));
  if (existing) await applications.addRedirectUris(appId, [callbackUrl], actor);
  if (kept !== undefined) return kept;
  const apiKey = existing
    ? (await applications.createKey({ appId }, actor)).apiKey
    : (
        await applications.createWithKey(
          {
            id: appId,
            name: "Acme",
            redirectUris: [callbackUrl],
            branding: { primaryColor: "#4f46e5" },
            development: true,
          },
          {},
          actor,
          // Otherwise a developer who deleted it could not start this service again.
          { mayReuseId: true },
        )
      ).apiKey;
  // With PostgreSQL and a master key from the environment, nothing has created the data folder yet.
  makePrivateFolder(dirname(keyFile));
  writePrivately(keyFile, `${apiKey}\n`, "replace");
  return apiKey;
}

/**
 * The second program of the demo page, an OpenID Connect client in the browser; its id. Found by its
 * name, because the id of a deleted client is never used again.
 */
async function openDemoClient({ services: { clients } }: App, callbackUrl: string): Promise<string> {
  const name = "Acme Wiki";
  const addresses = { redirectUris: [callbackUrl], postLogoutRedirectUris: [callbackUrl] };
  const existing = (await clients.list(appId)).find((client) => client.name === name);
  if (existing === undefined) {
    const created = await clients.create({ appId, name, kind: "spa", ...addresses }, {}, { actor });
    return created.client.id;
  }
  // The port may have changed.
  if (!existing.redirectUris.includes(callbackUrl)) await clients.update(existing.id, addresses, { actor });
  return existing.id;
}

/**
 * Removes webhook endpoints of closed demo pages, because their number per application is limited.
 */
async function removeDemoEndpoints({ services: { webhooks } }: App): Promise<void> {
  for (const { id, url } of await webhooks.list(appId)) {
    if (new URL(url).pathname.startsWith(`${hooksPath}/`)) await webhooks.remove(id, { actor, appId });
  }
}

/**
 * At each start, because the port and thus the URLs may have changed. A client that a developer set
 * for a real provider stays.
 */
async function setStandInAccounts({ services: { providers } }: App, accounts: ProviderInput[]): Promise<void> {
  const present = new Map((await providers.list(appId)).map(({ name, clientId }) => [name, clientId]));
  for (const account of accounts) {
    if ([undefined, account.clientId].includes(present.get(account.name)))
      await providers.set(appId, account, actor, { keepIdentities: true });
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
