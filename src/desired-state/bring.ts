import { isDeepStrictEqual } from "node:util";
import type { ApplicationChange } from "../applications/change.ts";
import type { Actor } from "../audit/audit.ts";
import type { DesiredApplication, DesiredProvider, DesiredState, DesiredWebhook } from "../config/state-schema.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";
import { describedProvider, objectKey, type Services } from "./current.ts";
import { fieldsOf } from "./difference.ts";

/** How a service calls a field of the file. */
const fieldNames: Record<string, string> = { secret: "clientSecret", apiKey: "value" };

/**
 * Makes what is into what `desired` says, by the services' own functions; what it leaves out stays, and with `prune` what it does not name goes.
 * `spares`: what would go is only named, for who takes everything back anyway; with its users and events it may be millions of rows.
 * Answers which secrets were set, and what was spared, by the objects' keys. Throws INVALID_REQUEST and CONFLICT naming the place in the file
 * (`applications[0].redirectUris[1]: …`).
 */
export async function bring(
  services: Services,
  desired: DesiredState,
  { prune, spares, actor }: { prune: boolean; spares: boolean; actor: Actor },
): Promise<{ secrets: Map<string, string>; spared: Set<string> }> {
  const secrets = new Map<string, string>();
  const spared = new Set<string>();
  const { applications = [] } = desired;
  if (prune) {
    const named = new Set(applications.map(({ id }) => id));
    for (const { id } of await services.applications.list()) {
      if (named.has(id)) continue;
      if (spares) await spare(services, id, spared);
      else await services.applications.delete(id, actor);
    }
  }
  for (const [index, application] of applications.entries()) {
    const at = `applications[${index}]`;
    await createUnlessThere(services, application, at, actor);
    await bringProviders(services, application, { at, prune, actor, secrets });
    await naming(at, () => services.applications.update(application.id, changeOf(application), actor));
    await bringKeys(services, application, { at, actor, spared });
    await bringWebhooks(services, application, { at, prune, spares, actor, secrets, spared });
  }
  return { secrets, spared };
}

type Work = {
  at: string;
  prune: boolean;
  spares: boolean;
  actor: Actor;
  secrets: Map<string, string>;
  spared: Set<string>;
};

/** Notes an application with what of it another one may be given. */
async function spare({ applications, webhooks }: Services, id: string, spared: Set<string>): Promise<void> {
  spared.add(objectKey("application", id));
  for (const key of await applications.listKeys(id)) spared.add(objectKey("apiKey", key.id));
  for (const webhook of await webhooks.list(id)) spared.add(objectKey("webhook", webhook.id));
}

async function createUnlessThere(
  { applications }: Services,
  { id, name }: DesiredApplication,
  at: string,
  actor: Actor,
): Promise<void> {
  if (await applications.find(id)) return;
  if (name === undefined) throw invalidRequest(`${at}.name: needed for a new application`);
  await naming(at, () => applications.create({ id, name }, actor));
}

async function bringProviders(
  { providers }: Services,
  { id, providers: desired }: DesiredApplication,
  { at, prune, actor, secrets }: Pick<Work, "at" | "prune" | "actor" | "secrets">,
): Promise<void> {
  const present = await providers.settings(id);
  if (prune) {
    const named = new Set(desired?.map(({ name }) => name.toLowerCase()));
    for (const { name } of present) if (!named.has(name)) await providers.remove(id, name, actor);
  }
  for (const [index, provider] of (desired ?? []).entries()) {
    const place = `${at}.providers[${index}]`;
    const name = provider.name.toLowerCase();
    const there = present.find((settings) => settings.name === name);
    // As the service stores it: what differs by a space only is the same.
    const secret = (provider.clientSecret ?? provider.privateKey)?.trim();
    const { clientSecret: _, privateKey: __, ...given } = { ...provider, name, clientId: provider.clientId.trim() };
    const hasNewSecret = secret !== undefined && there?.secret() !== secret;
    const isSame = there && isDeepStrictEqual(fieldsOf(describedProvider(there)), fieldsOf(given));
    if (isSame && !hasNewSecret) continue;
    const kept = secret ?? there?.secret();
    if (kept === undefined) throw invalidRequest(`${place}.clientSecret: needed for a new provider`);
    await naming(place, () => providers.set(id, { ...given, secret: kept }, actor));
    if (hasNewSecret) secrets.set(objectKey("provider", `${id} ${name}`), secretField(provider));
  }
}

function secretField({ privateKey }: DesiredProvider): string {
  return privateKey === undefined ? "clientSecret" : "privateKey";
}

async function bringKeys(
  { applications }: Services,
  { id, apiKeys = [] }: DesiredApplication,
  { at, actor, spared }: Pick<Work, "at" | "actor" | "spared">,
): Promise<void> {
  for (const [index, { value }] of apiKeys.entries()) {
    const place = `${at}.apiKeys[${index}]`;
    const found = await applications.findKey(value);
    const isFreed = found !== undefined && spared.delete(objectKey("apiKey", found.id));
    if (isFreed) await applications.removeKey(found.id);
    const known = isFreed ? undefined : found;
    if (!known) await naming(place, () => applications.createKey({ appId: id, apiKey: value }, actor));
    else if (known.appId !== id) throw conflict(`${place}.value: a key of another application`);
    else if (known.state !== "live") throw conflict(`${place}.value: this key has ended; choose another`);
  }
}

async function bringWebhooks(
  { webhooks }: Services,
  { id: appId, webhooks: desired }: DesiredApplication,
  { at, prune, spares, actor, secrets, spared }: Work,
): Promise<void> {
  const present = await webhooks.list(appId);
  if (prune) {
    const named = new Set(desired?.map(({ id }) => id));
    for (const { id } of present) {
      if (named.has(id)) continue;
      if (spares) spared.add(objectKey("webhook", id));
      else await webhooks.remove(id, { actor, appId });
    }
  }
  for (const [index, webhook] of (desired ?? []).entries()) {
    const place = `${at}.webhooks[${index}]`;
    const key = objectKey("webhook", webhook.id);
    if (present.some(({ id }) => id === webhook.id)) {
      const set = await naming(place, () => changeWebhook(webhooks, appId, webhook, actor));
      if (set) secrets.set(key, "secret");
    } else {
      if (spared.delete(key)) await webhooks.remove(webhook.id, { actor });
      await naming(place, () => createWebhook(webhooks, appId, webhook, actor));
      secrets.set(key, "secret");
    }
  }
}

async function createWebhook(
  webhooks: Services["webhooks"],
  appId: string,
  { id, url, events, enabled, secret }: DesiredWebhook,
  actor: Actor,
): Promise<void> {
  if (secret === undefined) throw invalidRequest("secret: needed for a new webhook endpoint");
  await webhooks.create(appId, { id, url, events, secret }, { actor });
  if (enabled === false) await webhooks.update(id, { enabled }, { actor, appId });
}

/** Whether its secret was changed. */
async function changeWebhook(
  webhooks: Services["webhooks"],
  appId: string,
  { id, url, events, enabled, secret }: DesiredWebhook,
  actor: Actor,
): Promise<boolean> {
  const before = await webhooks.get(id, { appId });
  const newSecret = secret !== undefined && (await webhooks.secret(id)) !== secret ? secret : undefined;
  const change = {
    url: url === before.url ? undefined : url,
    // Their order says nothing.
    events: isDeepStrictEqual(new Set(events), new Set<string>(before.events)) ? undefined : events,
    enabled: enabled === before.enabled ? undefined : enabled,
    secret: newSecret,
  };
  if (Object.values(change).some((value) => value !== undefined)) await webhooks.update(id, change, { actor, appId });
  return newSecret !== undefined;
}

/** What the file gives of an application, as `update` takes it. */
function changeOf(application: DesiredApplication): ApplicationChange {
  const { name, domain, redirectUris, authMethods, branding } = application;
  const { signUp, passwordMinLength, scopes, signingAlgorithm } = application;
  const { queryEndpoints, relyingPartyId, rateLimits } = application;
  const tokens = { scopes, signingAlgorithm, queryEndpoints, rateLimits };
  const settings = { signUp, passwordMinLength, relyingPartyId, ...tokens };
  return { name, domain, redirectUris, authMethods, branding, settings };
}

/** Runs `work`; a refused field is named by its place in the file. */
async function naming<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== "INVALID_REQUEST" && error.code !== "CONFLICT")) throw error;
    if (error.code === "CONFLICT") throw conflict(`${place}: ${error.message}`, error);
    const [, field = "", rest = ""] = /^(?:settings\.)?([a-zA-Z]*)(.*)$/su.exec(error.details) ?? [];
    throw invalidRequest(`${place}.${fieldNames[field] ?? field}${rest}`, error);
  }
}

function conflict(message: string, cause?: unknown): AppError {
  return new AppError("CONFLICT", message, { cause });
}
