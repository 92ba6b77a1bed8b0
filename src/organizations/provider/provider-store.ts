import { and, count, eq, inArray, isNotNull, isNull, lt, lte, ne, or, sql } from "drizzle-orm";
import type { OrganizationProviderState } from "../../storage/column-types.ts";
import { forShare, placeholders, prepare, statements, type Handle } from "../../storage/storage.ts";
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

/** Undefined if another one was set since it was read. */
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

export async function clearFailure(handle: Handle, provider: OrganizationProvider): Promise<void> {
  const changed = { failingSince: null, failedAt: null, failure: null };
  await handle.db.update(handle.tables.organizationProviders).set(changed).where(isClient(handle, provider));
}

/** The first time, it let somebody in, or an owner tried it. */
export async function recordTried(handle: Handle, provider: OrganizationProvider, now: number): Promise<void> {
  if (provider.triedAt !== null) return;
  const { organizationProviders: t } = handle.tables;
  const triedAt = sql`coalesce(${t.triedAt}, ${now})`;
  await handle.db.update(t).set({ triedAt }).where(isClient(handle, provider));
}

/** Inserts a provider, or replaces the organization's in this state. The organization is locked. */
export async function saveProvider(
  { db, tables: { organizationProviders: providers } }: Handle,
  row: OrganizationProvider,
): Promise<void> {
  await db
    .insert(providers)
    .values(row)
    .onConflictDoUpdate({ target: [providers.organizationId, providers.state], set: row });
}

/** In this state, or in any. */
export async function deleteProvider(
  { db, tables: { organizationProviders: providers } }: Handle,
  organizationId: string,
  state?: OrganizationProviderState,
): Promise<void> {
  const isState = state === undefined ? undefined : eq(providers.state, state);
  await db.delete(providers).where(and(eq(providers.organizationId, organizationId), isState));
}

/** The organizations of some providers whose time has come. */
export async function listDueProviders(
  { db, tables: { organizationProviders: providers } }: Handle,
  now: number,
  limit: number,
): Promise<Pick<OrganizationProvider, "organizationId" | "appId">[]> {
  return await db
    .select({ organizationId: providers.organizationId, appId: providers.appId })
    .from(providers)
    .where(and(eq(providers.state, "waiting"), lte(providers.worksAt, now)))
    .limit(limit);
}

/** Whether the organization has identities of another issuer, or older than this provider. */
export async function hasEarlierIdentities(
  { db, tables: { organizationIdentities: identities } }: Handle,
  { organizationId, issuer, createdAt }: Pick<OrganizationProvider, "organizationId" | "issuer" | "createdAt">,
): Promise<boolean> {
  const isEarlier = or(ne(identities.issuer, issuer), lt(identities.createdAt, createdAt));
  const earlier = and(eq(identities.organizationId, organizationId), isEarlier);
  return (await db.select({ id: identities.userId }).from(identities).where(earlier).limit(1)).length === 1;
}

/** The settings of an application, which cannot change until the transaction ends. */
export async function lockSettings({ db, tables: { applications } }: Handle, appId: string) {
  const { settings, authMethods } = applications;
  const [row] = await forShare(
    db.select({ settings, authMethods }).from(applications).where(eq(applications.id, appId)),
  );
  return row;
}

/** How many of the people who sign in by the provider have no method of their own. */
export async function countWithoutMethod(
  { db, tables }: Handle,
  { organizationId, issuer }: Pick<OrganizationProvider, "organizationId" | "issuer">,
): Promise<number> {
  const { organizationIdentities: identities, passkeys, passwords, oauthIdentities } = tables;
  const isTheirs = and(eq(identities.organizationId, organizationId), eq(identities.issuer, issuer));
  const theirs = db.select({ id: identities.userId }).from(identities).where(isTheirs);
  const [row] = await db.select({ value: count() }).from(identities).where(isTheirs);
  const having = await db
    .select({ id: passkeys.userId })
    .from(passkeys)
    .where(inArray(passkeys.userId, theirs))
    .union(db.select({ id: passwords.userId }).from(passwords).where(inArray(passwords.userId, theirs)))
    .union(
      db.select({ id: oauthIdentities.userId }).from(oauthIdentities).where(inArray(oauthIdentities.userId, theirs)),
    );
  return (row?.value ?? 0) - having.length;
}

/** Some providers of enabled organizations that failed lately. */
export async function listFailed(
  { db, tables: { organizationProviders: providers, organizations } }: Handle,
  limit: number,
): Promise<(Pick<OrganizationProvider, "appId" | "failingSince" | "failedAt" | "failure"> & { slug: string })[]> {
  const { appId, failingSince, failedAt, failure } = providers;
  return await db
    .select({ appId, failingSince, failedAt, failure, slug: organizations.slug })
    .from(providers)
    .innerJoin(organizations, eq(organizations.id, providers.organizationId))
    .where(and(eq(providers.state, "active"), isNotNull(failingSince), isNull(organizations.disabledAt)))
    .limit(limit);
}
