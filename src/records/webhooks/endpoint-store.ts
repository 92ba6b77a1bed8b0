import { and, asc, count, eq, getTableColumns, gt, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { DisabledReason, SigningAlgorithm } from "../../storage/column-types.ts";
import { placeholders, prepare, statements, type Handle, type Row } from "../../storage/storage.ts";

export type EndpointRow = Row<"webhookEndpoints">;

const prepared = statements(({ db, tables: { webhookEndpoints: endpoints, clients } }) => {
  const row = placeholders(endpoints);
  const disabling = { enabled: row.enabled, disabledReason: row.disabledReason, updatedAt: row.updatedAt };
  const isOn = and(eq(endpoints.id, row.id), eq(endpoints.enabled, true));
  return {
    // Runs with every event, inside the transaction of a sign-in.
    enabledOfApp: prepare(
      db
        .select({ id: endpoints.id, events: endpoints.events, clientId: endpoints.clientId })
        .from(endpoints)
        .where(and(eq(endpoints.appId, row.appId), eq(endpoints.enabled, true))),
      "enabled_webhook_endpoints",
    ),
    byId: prepare(
      db
        .select({ endpoint: getTableColumns(endpoints), idTokenAlg: clients.idTokenAlg })
        .from(endpoints)
        .leftJoin(clients, eq(clients.id, endpoints.clientId))
        .where(eq(endpoints.id, row.id)),
      "webhook_endpoint_by_id",
    ),
    recordFailure: prepare(
      db
        .update(endpoints)
        .set({ failingSince: row.failingSince })
        .where(and(eq(endpoints.id, row.id), isNull(endpoints.failingSince)))
        .returning({ id: endpoints.id }),
      "note_failing_webhook_endpoint",
    ),
    recordSuccess: prepare(
      db.update(endpoints).set({ failingSince: null }).where(eq(endpoints.id, row.id)),
      "note_working_webhook_endpoint",
    ),
    disableGone: prepare(
      db
        .update(endpoints)
        .set(disabling)
        .where(and(isOn, eq(endpoints.url, row.url)))
        .returning({ appId: endpoints.appId }),
      "disable_gone_webhook_endpoint",
    ),
    disableFailing: prepare(
      db
        .update(endpoints)
        .set(disabling)
        .where(and(isOn, eq(endpoints.failingSince, row.failingSince)))
        .returning({ appId: endpoints.appId }),
      "disable_failing_webhook_endpoint",
    ),
  };
});

/** The enabled endpoints of an application, with their events. */
export async function listEnabledEndpoints(
  handle: Handle,
  appId: string,
): Promise<Pick<EndpointRow, "id" | "events" | "clientId">[]> {
  return await prepared(handle).enabledOfApp.execute({ appId });
}

export async function findEndpoint(handle: Handle, id: string): Promise<EndpointRow | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  return row?.endpoint;
}

/** The targets of deliveries. `client`: the target receives this client's logout tokens. */
export type DeliveryTarget = EndpointRow & { client: { id: string; idTokenAlg: SigningAlgorithm } | null };

export async function findTarget(handle: Handle, id: string): Promise<DeliveryTarget | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  if (!row) return undefined;
  const { endpoint, idTokenAlg } = row;
  const client = endpoint.clientId !== null && idTokenAlg !== null ? { id: endpoint.clientId, idTokenAlg } : null;
  return { ...endpoint, client };
}

/** The receiver of a client's logout tokens. */
export async function findEndpointOfClient(
  { db, tables: { webhookEndpoints: endpoints } }: Handle,
  clientId: string,
): Promise<EndpointRow | undefined> {
  const [row] = await db.select().from(endpoints).where(eq(endpoints.clientId, clientId));
  return row;
}

/** A part of a list: at most `limit`, after this one. */
export type EndpointPage = { after: { at: number; id: string } | undefined; limit: number };

/** Oldest first, without the receivers of logout tokens; without `appId`, of all applications. */
export async function listEndpoints(
  { db, tables: { webhookEndpoints: endpoints } }: Handle,
  appId: string | undefined,
  page?: EndpointPage,
): Promise<EndpointRow[]> {
  const after = page?.after;
  const isLater =
    after && or(gt(endpoints.createdAt, after.at), and(eq(endpoints.createdAt, after.at), gt(endpoints.id, after.id)));
  const query = db
    .select()
    .from(endpoints)
    .where(and(isNull(endpoints.clientId), appId === undefined ? undefined : eq(endpoints.appId, appId), isLater))
    .orderBy(asc(endpoints.createdAt), asc(endpoints.id))
    .$dynamic();
  return await (page ? query.limit(page.limit) : query);
}

export async function countEndpoints(
  { db, tables: { webhookEndpoints: endpoints } }: Handle,
  appId: string,
): Promise<number> {
  const [row] = await db
    .select({ endpoints: count() })
    .from(endpoints)
    .where(and(isNull(endpoints.clientId), eq(endpoints.appId, appId)));
  return row?.endpoints ?? 0;
}

/** Those whose events do not arrive: failing, or disabled for it. At most `limit`. */
export async function listFailingEndpoints(
  { db, tables: { webhookEndpoints: endpoints } }: Handle,
  appId: string | undefined,
  limit: number,
): Promise<Pick<EndpointRow, "id" | "appId" | "url" | "enabled" | "failingSince" | "updatedAt">[]> {
  const { id, appId: ofApp, url, enabled, failingSince, updatedAt } = endpoints;
  const isFailing = and(eq(enabled, true), isNotNull(failingSince));
  return await db
    .select({ id, appId: ofApp, url, enabled, failingSince, updatedAt })
    .from(endpoints)
    .where(
      and(
        isNull(endpoints.clientId),
        appId === undefined ? undefined : eq(ofApp, appId),
        or(isFailing, inArray(endpoints.disabledReason, ["gone", "failing"])),
      ),
    )
    .limit(limit);
}

/** False if the id is taken. */
export async function insertEndpoint({ db, tables }: Handle, row: EndpointRow): Promise<boolean> {
  const inserted = await db
    .insert(tables.webhookEndpoints)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: tables.webhookEndpoints.id });
  return inserted.length === 1;
}

/** Serialises adding endpoints to this application. Locks nothing while it has none. */
export async function lockEndpoints(
  { db, tables: { webhookEndpoints: endpoints } }: Handle,
  appId: string,
): Promise<void> {
  await db
    .update(endpoints)
    .set({ createdAt: sql`${endpoints.createdAt}` })
    .where(eq(endpoints.appId, appId));
}

/** Locks the endpoint until the transaction ends: the first statement of every read and change. */
export async function lockEndpoint(
  { db, tables: { webhookEndpoints: endpoints } }: Handle,
  id: string,
): Promise<EndpointRow | undefined> {
  const [row] = await db
    .update(endpoints)
    .set({ createdAt: sql`${endpoints.createdAt}` })
    .where(eq(endpoints.id, id))
    .returning();
  return row;
}

export async function updateEndpoint(
  { db, tables: { webhookEndpoints: endpoints } }: Handle,
  id: string,
  change: Partial<EndpointRow>,
): Promise<void> {
  await db.update(endpoints).set(change).where(eq(endpoints.id, id));
}

/** False if there is none. */
export async function removeEndpoint(
  { db, tables: { webhookEndpoints: endpoints } }: Handle,
  id: string,
): Promise<boolean> {
  return (await db.delete(endpoints).where(eq(endpoints.id, id)).returning({ id: endpoints.id })).length === 1;
}

/** Records a failure; true if it is the first since a success. */
export async function recordFailure(tx: Handle, id: string, now: number): Promise<boolean> {
  return (await prepared(tx).recordFailure.execute({ id, failingSince: now })).length === 1;
}

export async function recordSuccess(tx: Handle, id: string): Promise<void> {
  await prepared(tx).recordSuccess.execute({ id });
}

/**
 * Disables an endpoint and returns its application. Undefined if it was already disabled, or
 * changed since the failures began: another address than the one that is gone, a success, or
 * enabled again.
 */
export async function disableEndpoint(
  tx: Handle,
  { id, ...tried }: { id: string } & ({ goneUrl: string } | { failingSince: number }),
  now: number,
): Promise<{ appId: string } | undefined> {
  const disabling = { id, enabled: false, updatedAt: now };
  const [row] = await ("goneUrl" in tried
    ? prepared(tx).disableGone.execute({
        ...disabling,
        disabledReason: "gone" satisfies DisabledReason,
        url: tried.goneUrl,
      })
    : prepared(tx).disableFailing.execute({
        ...disabling,
        disabledReason: "failing" satisfies DisabledReason,
        failingSince: tried.failingSince,
      }));
  return row;
}
