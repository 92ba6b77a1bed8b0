import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { DesiredApplication, DesiredProvider, DesiredWebhook } from "../config/state-schema.ts";
import type { ProviderAccounts, ProviderSettings } from "../oauth/accounts.ts";
import type { Webhooks } from "../webhooks/service.ts";
import { fieldsOf, type StateObject, type StateObjects } from "./difference.ts";

export type Services = { applications: Applications; providers: ProviderAccounts; webhooks: Webhooks };

/** An application as the file describes it, without its keys, providers and webhooks. */
export function describedApplication(application: Application): DesiredApplication {
  const { id, name, domain, redirectUris, authMethods, branding, settings } = application;
  const { signUp, passwordMinLength, scopes, signingAlgorithm, queryEndpoints, relyingPartyId, rateLimits } = settings;
  const { logo, primaryColor, companyName } = branding;
  const { passkey, password, oauth } = authMethods;
  return {
    id,
    name,
    domain,
    redirectUris,
    authMethods: {
      passkey: { enabled: passkey.enabled, required: passkey.required },
      password: { enabled: password.enabled },
      oauth: { enabled: oauth.enabled, providers: oauth.providers },
    },
    branding: { logo, primaryColor, companyName },
    signUp,
    passwordMinLength,
    scopes,
    signingAlgorithm,
    queryEndpoints,
    relyingPartyId,
    ...(Object.keys(rateLimits).length === 0 ? {} : { rateLimits }),
  };
}

/** A provider without its secret; what is the table's own is left out. */
export function describedProvider(settings: ProviderSettings): DesiredProvider {
  const { name, clientId, teamId, keyId, issuer, authorizationUrl, tokenUrl, userinfoUrl, jwksUrl } = settings;
  const given = { teamId, keyId, issuer, authorizationUrl, tokenUrl, userinfoUrl, jwksUrl };
  const own = Object.entries(given).filter(([, value]) => value !== null);
  return { name, clientId, ...(Object.fromEntries(own) as Partial<DesiredProvider>) };
}

/** The providers and webhooks of an application as the file describes them. */
export async function describedParts(
  { providers, webhooks }: Services,
  appId: string,
): Promise<{ providers: DesiredProvider[]; webhooks: DesiredWebhook[] }> {
  return {
    providers: (await providers.settings(appId)).map(describedProvider),
    webhooks: (await webhooks.list(appId)).map(({ id, url, events, enabled }) => ({ id, url, events, enabled })),
  };
}

/** Everything that a file can describe of these applications, as it is now. */
export async function currentObjects(services: Services, appIds: Iterable<string>): Promise<StateObjects> {
  const objects: StateObjects = new Map();
  const add = (id: string, object: StateObject): void => void objects.set(objectKey(object.kind, id), object);
  for (const application of appIds) {
    const found = await services.applications.find(application);
    if (!found) continue;
    const { id: _, ...fields } = describedApplication(found);
    add(application, { kind: "application", application, fields: fieldsOf(fields) });
    for (const { id, state } of await services.applications.listKeys(application))
      if (state === "live") add(id, { kind: "apiKey", application, fields: new Map() });
    const parts = await describedParts(services, application);
    for (const { name, ...described } of parts.providers)
      add(`${application} ${name}`, { kind: "provider", application, name, fields: fieldsOf(described) });
    for (const { id: name, ...described } of parts.webhooks)
      add(name, { kind: "webhook", application, name, fields: fieldsOf(described) });
  }
  return objects;
}

/** By which an object is known: providers by application and name, the rest by id. */
export function objectKey(kind: StateObject["kind"], id: string): string {
  return `${kind} ${id}`;
}
