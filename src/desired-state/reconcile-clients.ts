import { isDeepStrictEqual } from "node:util";
import type { Actor } from "../audit/audit.ts";
import type { ClientChange } from "../clients/rules.ts";
import type { DesiredApplication, DesiredClient } from "../config/state-schema.ts";
import { invalidRequest } from "../lib/errors.ts";
import { describedClient, objectKey, type Services } from "./current.ts";
import { conflict, naming } from "./places.ts";

/** See `reconcileApplication`. */
export async function reconcileClients(
  { clients }: Pick<Services, "clients">,
  { id: appId, clients: desired = [] }: DesiredApplication,
  {
    at,
    prune,
    spares,
    actor,
    spared,
  }: { at: string; prune: boolean; spares: boolean; actor: Actor; spared: Set<string> },
): Promise<void> {
  const present = (await clients.list(appId)).map(({ id }) => id);
  if (prune) {
    const named = new Set(desired.map(({ id }) => id));
    for (const id of present.filter((one) => !named.has(one))) {
      if (spares) spared.add(objectKey("client", id));
      else await clients.delete(id, { actor });
    }
  }
  for (const [index, client] of desired.entries()) {
    const place = `${at}.clients[${index}]`;
    if (present.includes(client.id)) await naming(place, () => changeClient(clients, client, actor));
    else await naming(place, () => createClient(clients, appId, client, actor));
    await reconcileSecrets(clients, client, { place, actor });
  }
}

async function createClient(
  clients: Services["clients"],
  appId: string,
  { id, name, kind, ...client }: DesiredClient,
  actor: Actor,
): Promise<void> {
  if (name === undefined) throw invalidRequest("name: needed for a new client");
  const input = { ...changeOf(client), id, appId, name, ...(kind === undefined ? {} : { kind }) };
  await clients.create(input, { mayGenerate: false }, { actor });
}

async function changeClient(clients: Services["clients"], desired: DesiredClient, actor: Actor): Promise<void> {
  const { id, kind, ...client } = desired;
  const before = await clients.get(id);
  if (kind !== undefined && kind !== before.kind) throw invalidRequest("kind: cannot change; choose another id");
  const change = changeOf(client);
  // The service brings lists and keys into its own form, so its words are compared.
  const after = await clients.update(id, change, { actor, dryRun: true });
  if (!isDeepStrictEqual(describedClient(before), describedClient(after))) await clients.update(id, change, { actor });
}

async function reconcileSecrets(
  clients: Services["clients"],
  { id: clientId, secrets = [] }: DesiredClient,
  { place, actor }: { place: string; actor: Actor },
): Promise<void> {
  for (const [index, { value: secret }] of secrets.entries()) {
    const at = `${place}.secrets[${index}]`;
    const known = await clients.findSecret(secret);
    if (!known) await naming(at, () => clients.createSecret({ clientId, secret }, actor), { secret: "value" });
    else if (known.clientId !== clientId) throw conflict(`${at}.value: a secret of another client`);
    else if (known.state !== "live") throw conflict(`${at}.value: this secret has ended; choose another`);
  }
}

/** The given fields, in the form of the service. */
function changeOf(client: Omit<DesiredClient, "id" | "kind">): ClientChange {
  return Object.fromEntries(
    Object.entries(client).filter(([name, value]) => name !== "secrets" && value !== undefined),
  );
}
