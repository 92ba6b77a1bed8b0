import { and, eq, sql } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle } from "../../storage/storage.ts";
import type { OrganizationProvider } from "./provider.ts";

const prepared = statements(({ db, tables: { organizationProviders: providers } }) => {
  const row = placeholders(providers);
  return {
    byState: prepare(
      db
        .select()
        .from(providers)
        .where(and(eq(providers.organizationId, row.organizationId), eq(providers.state, row.state))),
      "organization_provider",
    ),
  };
});

/** The provider that works; undefined: the organization has none. */
export async function findProvider(handle: Handle, organizationId: string): Promise<OrganizationProvider | undefined> {
  const [row] = await prepared(handle).byState.execute({ organizationId, state: "active" });
  return row;
}

/** The one that waits to be tried, confirmed, or for its time. */
export async function findWaitingProvider(
  handle: Handle,
  organizationId: string,
): Promise<OrganizationProvider | undefined> {
  const [row] = await prepared(handle).byState.execute({ organizationId, state: "waiting" });
  return row;
}

/** The same client as it was read, and no later one. */
function isClient({ tables: { organizationProviders: t } }: Handle, provider: OrganizationProvider) {
  const { organizationId, state, issuer, clientId, encryptedSecret } = provider;
  return and(
    eq(t.organizationId, organizationId),
    eq(t.state, state),
    eq(t.issuer, issuer),
    eq(t.clientId, clientId),
    eq(t.encryptedSecret, encryptedSecret),
  );
}

/** Undefined: it was replaced meanwhile. */
export async function recordFailureAt(
  handle: Handle,
  provider: OrganizationProvider,
  { failure, now }: { failure: string; now: number },
): Promise<OrganizationProvider | undefined> {
  const { organizationProviders: t } = handle.tables;
  const failingSince = sql`coalesce(${t.failingSince}, ${now})`;
  const changed = handle.db.update(t).set({ failingSince, failedAt: now, failure }).where(isClient(handle, provider));
  const [row] = await changed.returning();
  return row;
}

export async function recordMailedAt(handle: Handle, provider: OrganizationProvider, now: number): Promise<void> {
  const { organizationProviders: t } = handle.tables;
  await handle.db.update(t).set({ failureMailedAt: now }).where(isClient(handle, provider));
}

/** It works: also the first time, as of now. */
export async function clearFailure(handle: Handle, provider: OrganizationProvider, now: number): Promise<void> {
  const { organizationProviders: t } = handle.tables;
  const triedAt = sql`coalesce(${t.triedAt}, ${now})`;
  const changed = { triedAt, failingSince: null, failedAt: null, failure: null };
  await handle.db.update(t).set(changed).where(isClient(handle, provider));
}
