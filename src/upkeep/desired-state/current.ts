import type { Application } from "../../applications/application.ts";
import type { ClientAnswer } from "../../applications/clients/client.ts";
import { clientRows } from "../../applications/clients/settings.ts";
import * as clientSecrets from "../../applications/clients/secrets.ts";
import * as clients from "../../applications/clients/service.ts";
import { fieldsOf as trustFields } from "../../applications/clients/workload/trust.ts";
import * as apiKeys from "../../applications/keys.ts";
import * as providers from "../../applications/providers/provider-clients.ts";
import type { ProviderSettings } from "../../applications/providers/provider-clients.ts";
import * as applications from "../../applications/service.ts";
import { fileKeyOf, objectOf, valueIn, valueText } from "../../applications/setting.ts";
import { applicationRows } from "../../applications/settings.ts";
import type { ResourceAnswer } from "../../applications/resources/resource.ts";
import * as resources from "../../applications/resources/service.ts";
import type {
  DesiredApplication,
  DesiredClient,
  DesiredProvider,
  DesiredResource,
  DesiredWebhook,
} from "./state-schema.ts";
import * as webhooks from "../../records/webhooks/service.ts";
import type { Context } from "../../runtime/context.ts";
import type { OwnText } from "../../storage/column-types.ts";
import * as groups from "../../users/groups/service.ts";
import { logoInFile } from "./reconcile-logo.ts";
import { fieldsOf, type StateObject, type StateObjects } from "./difference.ts";

/** Claims and limits are in the file only if there are any. */
const rows = applicationRows.filter(([field]) => field !== "claims" && !field.startsWith("settings.rateLimits."));

/** An application in the form of the file, without its keys, providers, webhooks and clients. */
export function describedApplication(application: Application): DesiredApplication {
  const { id, claims, settings } = application;
  const values = rows.map(([field, row]) => {
    const value = valueIn(application, field, row);
    if (field === "branding.logo") return [fileKeyOf(field, row), logoInFile(value)] as const;
    if (field === "settings.texts") return [fileKeyOf(field, row), placesFirst(value as OwnText[] | null)] as const;
    return [fileKeyOf(field, row), row.kind === "duration" ? valueText(row, value) : value] as const;
  });
  return {
    id,
    ...objectOf(values),
    ...(claims === null ? {} : { claims }),
    ...(Object.keys(settings.rateLimits).length === 0 ? {} : { rateLimits: settings.rateLimits }),
  };
}

/** PostgreSQL orders the fields of JSON by their length. */
function placesFirst(texts: OwnText[] | null): OwnText[] | null {
  return texts?.map(({ place, text, url }) => (url === undefined ? { place, text } : { place, text, url })) ?? null;
}

/** A provider without its secret and without the table's defaults. */
export function describedProvider(settings: ProviderSettings): DesiredProvider {
  const { name, clientId, teamId, keyId, issuer, authorizationUrl, tokenUrl, userinfoUrl, jwksUrl } = settings;
  const { trustsEmail, trustsSecondFactor, emailClaim } = settings;
  const optionalFields = { teamId, keyId, issuer, authorizationUrl, tokenUrl, userinfoUrl, jwksUrl };
  const own = Object.entries({ ...optionalFields, trustsEmail, trustsSecondFactor, emailClaim }).filter(
    ([, value]) => value !== null,
  );
  return { name, clientId, ...(Object.fromEntries(own) as Partial<DesiredProvider>) };
}

/** A client without its secrets. */
export function describedClient(client: ClientAnswer): DesiredClient {
  const { appId: _, createdAt: __, updatedAt: ___, lastUsedAt: ____, disabledAt, ...fields } = client;
  // An organization is data, which no file describes.
  const { trusts, organizationId: _____, ...described } = fields;
  if (fields.kind === "proxy") return describedProxy(client);
  const durations = clientRows
    .filter(([, { kind, onlyProxy }]) => kind === "duration" && !onlyProxy)
    .map(([field, row]) => [field, valueText(row, valueIn(client, field, row)) || null] as const);
  return {
    ...described,
    ...Object.fromEntries(durations),
    secondFactor: fields.secondFactor ?? "off",
    enabled: disabledAt === null,
    trusts: trusts.map(trustFields),
  };
}

/** Without what a proxy does not have. */
function describedProxy(client: ClientAnswer): DesiredClient {
  const { id, kind, name, allowedGroups, secondFactor, disabledAt } = client;
  const own = clientRows.filter(([, { onlyProxy }]) => onlyProxy);
  const values = own.map(([field, row]) => {
    const value = valueIn(client, field, row);
    return [fileKeyOf(field, row), row.kind === "duration" ? valueText(row, value) : value] as const;
  });
  const others = { allowedGroups, secondFactor: secondFactor ?? "off", enabled: disabledAt === null };
  return { id, kind, name, ...others, ...objectOf(values) };
}

export function describedResource(resource: ResourceAnswer): DesiredResource {
  const { appId: _, createdAt: __, updatedAt: ___, ...fields } = resource;
  return fields;
}

/**
 * An application's providers, webhooks, resources and clients in the form of the file. Machines of
 * organizations are data, as these are.
 */
export async function describedParts(
  ctx: Context,
  appId: string,
): Promise<{
  providers: DesiredProvider[];
  webhooks: DesiredWebhook[];
  resources: DesiredResource[];
  clients: DesiredClient[];
}> {
  return {
    providers: (await providers.settings(ctx, appId)).map(describedProvider),
    webhooks: (await webhooks.list(ctx, appId)).map(({ id, url, events, enabled }) => ({ id, url, events, enabled })),
    resources: (await resources.list(ctx, appId)).map(describedResource),
    clients: (await clients.list(ctx, appId))
      .filter(({ organizationId }) => organizationId === undefined)
      .map(describedClient),
  };
}

/** The current state of these applications, as far as a file can describe it. */
export async function currentObjects(ctx: Context, appIds: Iterable<string>): Promise<StateObjects> {
  const objects: StateObjects = new Map();
  const add = (id: string, object: StateObject): void => void objects.set(objectKey(object.kind, id), object);
  for (const application of appIds) {
    const current = await applications.find(ctx, ctx.storage.reader, application);
    if (!current) continue;
    const { id: _, ...fields } = describedApplication(current);
    add(application, { kind: "application", application, fields: fieldsOf(fields) });
    for (const { id, state } of await apiKeys.listKeys(ctx, application))
      if (state === "live") add(id, { kind: "apiKey", application, fields: new Map() });
    for (const { name, secondFactor } of await groups.list(ctx, application))
      add(`${application} ${name}`, { kind: "group", application, name, fields: fieldsOf({ secondFactor }) });
    const parts = await describedParts(ctx, application);
    for (const { name, ...described } of parts.providers)
      add(`${application} ${name}`, { kind: "provider", application, name, fields: fieldsOf(described) });
    for (const { id: name, ...described } of parts.webhooks)
      add(name, { kind: "webhook", application, name, fields: fieldsOf(described) });
    for (const { identifier: name, ...described } of parts.resources)
      add(name, { kind: "resource", application, name, fields: fieldsOf(described) });
    for (const { id: name, ...described } of parts.clients) {
      add(name, { kind: "client", application, name, fields: fieldsOf(described) });
      for (const { id, state } of await clientSecrets.listSecrets(ctx, name))
        if (state === "live") add(id, { kind: "clientSecret", application, name, fields: new Map() });
    }
  }
  return objects;
}

/** The key of an object: application and name for providers and groups, the id for others. */
export function objectKey(kind: StateObject["kind"], id: string): string {
  return `${kind} ${id}`;
}
