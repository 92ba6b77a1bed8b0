import { isDeepStrictEqual } from "node:util";
import { clientRows, type ClientChange } from "../../applications/clients/settings.ts";
import { amountOf } from "../../applications/setting.ts";
import * as clientSecrets from "../../applications/clients/secrets.ts";
import * as clients from "../../applications/clients/service.ts";
import type { DesiredApplication, DesiredClient } from "./state-schema.ts";
import { invalidRequest } from "../../lib/errors.ts";
import type { Actor } from "../../records/audit/audit.ts";
import type { Context } from "../../runtime/context.ts";
import { describedClient, objectKey } from "./current.ts";
import { conflict, naming } from "./places.ts";

/** See `reconcileApplication`. */
export async function reconcileClients(
  ctx: Context,
  { id: appId, clients: desired = [] }: DesiredApplication,
  {
    at,
    prune,
    spares,
    actor,
    spared,
  }: { at: string; prune: boolean; spares: boolean; actor: Actor; spared: Set<string> },
): Promise<void> {
  const all = await clients.list(ctx, appId);
  const present = all.map(({ id }) => id);
  if (prune) {
    const named = new Set(desired.map(({ id }) => id));
    for (const { id } of all.filter((one) => !named.has(one.id) && one.organizationId === undefined)) {
      if (spares) spared.add(objectKey("client", id));
      else await clients.remove(ctx, id, { actor });
    }
  }
  for (const [index, client] of desired.entries()) {
    const place = `${at}.clients[${index}]`;
    if (present.includes(client.id)) await naming(place, () => changeClient(ctx, client, actor));
    else await naming(place, () => createClient(ctx, appId, client, actor));
    await reconcileSecrets(ctx, client, { place, actor });
  }
}

async function createClient(
  ctx: Context,
  appId: string,
  { id, name, kind, ...client }: DesiredClient,
  actor: Actor,
): Promise<void> {
  if (name === undefined) throw invalidRequest("name", "needed for a new client");
  const input = { ...changeOf(client), id, appId, name, ...(kind === undefined ? {} : { kind }) };
  await clients.create(ctx, input, { mayGenerate: false }, { actor });
}

async function changeClient(ctx: Context, desired: DesiredClient, actor: Actor): Promise<void> {
  const { id, kind, ...client } = desired;
  const before = await clients.get(ctx, id);
  if (kind !== undefined && kind !== before.kind) throw invalidRequest("kind", "cannot change; choose another id");
  const change = changeOf(client);
  // The service normalises lists and keys, so its form is compared.
  const after = await clients.update(ctx, id, change, { actor, dryRun: true });
  if (!isDeepStrictEqual(describedClient(before), describedClient(after)))
    await clients.update(ctx, id, change, { actor });
}

async function reconcileSecrets(
  ctx: Context,
  { id: clientId, secrets = [] }: DesiredClient,
  { place, actor }: { place: string; actor: Actor },
): Promise<void> {
  for (const [index, { value: secret }] of secrets.entries()) {
    const at = `${place}.secrets[${index}]`;
    const secretThere = await clientSecrets.findSecret(ctx, secret);
    if (!secretThere)
      await naming(at, () => clientSecrets.createSecret(ctx, { clientId, secret }, actor), { secret: "value" });
    else if (secretThere.clientId !== clientId) throw conflict(`${at}.value`, "a secret of another client");
    else if (secretThere.state !== "live") throw conflict(`${at}.value`, "this secret has ended; choose another");
  }
}

/** The given fields, in the form of the service. */
function changeOf(client: Omit<DesiredClient, "id" | "kind">): ClientChange {
  const given: Record<string, unknown> = Object.fromEntries(
    Object.entries(client).filter(([name, value]) => name !== "secrets" && value !== undefined),
  );
  for (const [field, row] of clientRows.filter(([, { kind }]) => kind === "duration")) {
    const [group = "", name] = field.split(".");
    const values = name === undefined ? given : (given[group] as Record<string, unknown> | undefined);
    const text = values?.[name ?? group];
    if (typeof text !== "string") continue;
    if (name === undefined) given[group] = amountOf(row, text);
    else given[group] = { ...values, [name]: amountOf(row, text) };
  }
  return given;
}
