import { dirname, join } from "node:path";
import * as clients from "../applications/clients/service.ts";
import * as apiKeys from "../applications/keys.ts";
import { demoAppId as appId } from "../applications/leftovers.ts";
import type { NewApplication } from "../applications/new-application.ts";
import * as providers from "../applications/providers/provider-clients.ts";
import type { ProviderInput } from "../applications/providers/provider-input.ts";
import * as applications from "../applications/service.ts";
import { writePrivately } from "../lib/durable-files.ts";
import { AppError } from "../lib/errors.ts";
import { makePrivateFolder } from "../lib/private-folder.ts";
import { newSecret } from "../lib/random.ts";
import { maxSecretBytes, readAtMost } from "../lib/read-file.ts";
import type { Actor } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";

/** Its name and colour, which the demo page shows too. */
export const demoLook = { name: "Acme", primaryColor: "#4f46e5" };

const actor: Actor = { kind: "service", name: "development" };

export type DemoAppInput = {
  dataDir: string;
  /** Of the demo page. */
  callbackUrl: string;
  /** Of the developer's program. */
  redirectUris: readonly string[];
  accounts: ProviderInput[];
};

/**
 * Creates the demo application, or prepares an existing one for this start. Its API key survives
 * restarts, so that an integration keeps working.
 */
export async function openDemoApp(ctx: Context, input: DemoAppInput): Promise<string> {
  const { dataDir, callbackUrl, redirectUris, accounts } = input;
  const keyFile = join(dataDir, "demo-api-key");
  const existing = await applications.find(ctx, ctx.storage.reader, appId);
  const kept = existing && (await validKeyIn(ctx, keyFile));
  const apiKey =
    kept ??
    (existing ? (await apiKeys.createKey(ctx, { appId }, actor)).apiKey : await createDemoApp(ctx, callbackUrl));
  if (apiKey !== kept) store(keyFile, apiKey);
  // The demo's own first, so that a refused URI of the developer's is named by its position.
  await applications.addRedirectUris(ctx, appId, [callbackUrl], actor);
  await applications.addRedirectUris(ctx, appId, redirectUris, actor);
  await setStandInAccounts(ctx, accounts);
  return apiKey;
}

/** A secret for the cookies of the developer's program, which survives restarts too. */
export function openCookieSecret(ctx: Context, dataDir: string): string {
  const file = join(dataDir, "demo-cookie-secret");
  const kept = textIn(file);
  if (kept !== undefined && kept.length >= 43) return kept;
  const secret = newSecret(ctx.random);
  store(file, secret);
  return secret;
}

/**
 * Creates the demo page's second program, an OpenID Connect client in the browser, or prepares the
 * existing one; returns its id. It is found by name, because ids are never used again.
 */
export async function openDemoClient(ctx: Context, callbackUrl: string): Promise<string> {
  const name = "Acme Wiki";
  const existing = (await clients.list(ctx, appId)).find((client) => client.name === name);
  if (existing === undefined) {
    const redirectUris = [callbackUrl];
    return (await clients.create(ctx, { appId, name, kind: "spa", redirectUris }, {}, { actor })).client.id;
  }
  // The port may have changed.
  if (!existing.redirectUris.includes(callbackUrl))
    await clients.update(ctx, existing.id, { redirectUris: [callbackUrl] }, { actor });
  return existing.id;
}

async function createDemoApp(ctx: Context, callbackUrl: string): Promise<string> {
  const input: NewApplication = {
    id: appId,
    name: demoLook.name,
    redirectUris: [callbackUrl],
    branding: { primaryColor: demoLook.primaryColor },
    settings: { publicClients: true },
    development: true,
  };
  // Otherwise a developer who deleted it could not start this service again.
  const options = { mayReuseId: true };
  return (await applications.createWithKey(ctx, input, {}, actor, options)).apiKey;
}

async function validKeyIn(ctx: Context, keyFile: string): Promise<string | undefined> {
  const apiKey = textIn(keyFile);
  if (apiKey === undefined) return undefined;
  try {
    return (await applications.authenticate(ctx, apiKey)).id === appId ? apiKey : undefined;
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/**
 * At each start, because the port and thus the URLs may have changed. A client that a developer set
 * for a real provider stays.
 */
async function setStandInAccounts(ctx: Context, accounts: ProviderInput[]): Promise<void> {
  const present = new Map((await providers.list(ctx, appId)).map(({ name, clientId }) => [name, clientId]));
  for (const account of accounts) {
    if ([undefined, account.clientId].includes(present.get(account.name)))
      await providers.set(ctx, appId, account, actor, { keepIdentities: true });
  }
}

/** Writes the lines of the .env file to the data folder, for tests and CI. */
export function writeEnvFile(dataDir: string, lines: string): void {
  writePrivately(join(dataDir, "demo.env"), lines, "replace");
}

function textIn(file: string): string | undefined {
  try {
    return readAtMost(file, maxSecretBytes).toString().trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function store(file: string, secret: string): void {
  // With PostgreSQL and a master key from the environment, nothing has created the data folder yet.
  makePrivateFolder(dirname(file));
  writePrivately(file, `${secret}\n`, "replace");
}
