import { and, asc, eq, sql } from "drizzle-orm";
import { prepare, statements, type Handle } from "../../storage/storage.ts";

/**
 * An app's client of a provider. Secrets are encrypted; undefined endpoints come from the table.
 */
export type ProviderRow = {
  appId: string;
  name: string;
  clientId: string;
  encryptedSecret: string;
  /** Apple: the secret is a .p8 key that signs a new client secret for each exchange. */
  teamId: string | null;
  keyId: string | null;
  issuer: string | null;
  authorizationUrl: string | null;
  tokenUrl: string | null;
  userinfoUrl: string | null;
  jwksUrl: string | null;
  /** Only for a custom issuer: whether its verified addresses count as proven; null means yes. */
  trustsEmail: boolean | null;
  /** Only for a custom issuer: the claim of its ID tokens that says "two factors", as `amr=mfa`. */
  trustsSecondFactor: string | null;
  /** The claim that has the address; null: `email`. */
  emailClaim: string | null;
  createdAt: number;
  updatedAt: number;
};

/** A client without its secret. */
export type OpenProviderRow = Omit<ProviderRow, "encryptedSecret">;

const prepared = statements(({ db, tables: { oauthProviders } }) => ({
  byName: prepare(
    db
      .select()
      .from(oauthProviders)
      .where(and(eq(oauthProviders.appId, sql.placeholder("appId")), eq(oauthProviders.name, sql.placeholder("name")))),
    "oauth_provider",
  ),
  ofApp: prepare(
    db
      .select()
      .from(oauthProviders)
      .where(eq(oauthProviders.appId, sql.placeholder("appId")))
      .orderBy(asc(oauthProviders.createdAt), asc(oauthProviders.name)),
    "oauth_providers_of_app",
  ),
}));

export async function findProvider(handle: Handle, appId: string, name: string): Promise<ProviderRow | undefined> {
  const [row] = await prepared(handle).byName.execute({ appId, name });
  return row;
}

export async function listProviders(handle: Handle, appId: string): Promise<ProviderRow[]> {
  return await prepared(handle).ofApp.execute({ appId });
}

export async function listAllProviders({ db, tables: { oauthProviders } }: Handle): Promise<ProviderRow[]> {
  return await db.select().from(oauthProviders).orderBy(asc(oauthProviders.appId), asc(oauthProviders.name));
}

/** Inserts or replaces, keeping the first `createdAt`. */
export async function saveProvider({ db, tables: { oauthProviders } }: Handle, row: ProviderRow): Promise<void> {
  await db
    .insert(oauthProviders)
    .values(row)
    .onConflictDoUpdate({ target: [oauthProviders.appId, oauthProviders.name], set: changed(row) });
}

/** False if there was none. */
export async function deleteProvider(
  { db, tables: { oauthProviders } }: Handle,
  appId: string,
  name: string,
): Promise<boolean> {
  const deleted = await db
    .delete(oauthProviders)
    .where(and(eq(oauthProviders.appId, appId), eq(oauthProviders.name, name)))
    .returning({ name: oauthProviders.name });
  return deleted.length === 1;
}

/** Everything but the key and `createdAt`. */
function changed(row: ProviderRow) {
  const { appId: _appId, name: _name, createdAt: _createdAt, ...rest } = row;
  return rest;
}
