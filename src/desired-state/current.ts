import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { DesiredApplication, DesiredProvider, DesiredWebhook } from "../config/state-schema.ts";
import type { ProviderAccounts, ProviderSettings } from "../oauth/accounts.ts";
import type { Webhooks } from "../webhooks/service.ts";
import { fieldsOf, type StateObject } from "./difference.ts";

export type Services = { applications: Applications; providers: ProviderAccounts; webhooks: Webhooks };

/** An application as the file describes it, without its keys, providers and webhooks. */
export function describedApplication(application: Application): DesiredApplication {
  const { id, name, domain, redirectUris, authMethods, branding, settings } = application;
  const { signUp, passwordMinLength, scopes, signingAlgorithm, queryEndpoints, rateLimits } = settings;
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
export async function currentObjects(services: Services, appIds: Iterable<string>): Promise<Map<string, StateObject>> {
  const objects = new Map<string, StateObject>();
  for (const appId of appIds) {
    const found = await services.applications.find(appId);
    if (!found) continue;
    const { id: _, ...fields } = describedApplication(found);
    add(objects, appId, { kind: "application", application: appId, fields: fieldsOf(fields), secrets: new Map() });
    for (const { id, state } of await services.applications.listKeys(appId))
      if (state === "live")
        add(objects, id, { kind: "apiKey", application: appId, fields: new Map(), secrets: new Map() });
    for (const settings of await services.providers.settings(appId)) {
      const { name, ...described } = describedProvider(settings);
      const secrets = new Map([[settings.keyId === null ? "clientSecret" : "privateKey", settings.secret()]]);
      add(objects, `${appId} ${name}`, {
        kind: "provider",
        application: appId,
        name,
        fields: fieldsOf(described),
        secrets,
      });
    }
    for (const { id, url, events, enabled } of await services.webhooks.list(appId))
      add(objects, id, {
        kind: "webhook",
        application: appId,
        name: id,
        fields: fieldsOf({ url, events, enabled }),
        secrets: new Map([["secret", await services.webhooks.secret(id)]]),
      });
  }
  return objects;
}

function add(objects: Map<string, StateObject>, key: string, object: StateObject): void {
  objects.set(`${object.kind} ${key}`, object);
}
