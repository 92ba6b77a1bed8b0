import { and, asc, eq, sql } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";

/** An app's account with a provider. Secrets are encrypted; undefined endpoints are the table's. */
export type ProviderRow = {
  appId: string;
  name: string;
  clientId: string;
  encryptedSecret: string;
  /** Apple: the secret is a .p8 key, from which a client secret is minted for each exchange. */
  teamId: string | null;
  keyId: string | null;
  issuer: string | null;
  authorizationUrl: string | null;
  tokenUrl: string | null;
  userinfoUrl: string | null;
  jwksUrl: string | null;
  createdAt: number;
  updatedAt: number;
};

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

/** Inserts or replaces; the first `createdAt` stays. */
export async function saveProvider({ db, tables: { oauthProviders } }: Handle, row: ProviderRow): Promise<void> {
  await db
    .insert(oauthProviders)
    .values(row)
    .onConflictDoUpdate({ target: [oauthProviders.appId, oauthProviders.name], set: changed(row) });
}

/** False when there was none. */
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

/** All but the key and the time of the first saving. */
function changed({
  clientId,
  encryptedSecret,
  teamId,
  keyId,
  issuer,
  authorizationUrl,
  tokenUrl,
  userinfoUrl,
  jwksUrl,
  updatedAt,
}: ProviderRow) {
  return {
    clientId,
    encryptedSecret,
    teamId,
    keyId,
    issuer,
    authorizationUrl,
    tokenUrl,
    userinfoUrl,
    jwksUrl,
    updatedAt,
  };
}
