import { asc, count, eq, inArray, or, sql } from "drizzle-orm";
import { forShare, placeholders, prepare, statements, type Handle } from "../../storage/storage.ts";
import { formsOf, type Resource } from "./resource.ts";

const prepared = statements(({ db, tables: { resources } }) => ({
  byIdentifier: prepare(
    db
      .select()
      .from(resources)
      .where(
        or(
          eq(resources.identifier, placeholders(resources).identifier),
          eq(resources.identifier, sql.placeholder("otherForm")),
        ),
      ),
    "resource_by_identifier",
  ),
}));

/** By either form of its identifier. */
export async function findResource(handle: Handle, identifier: string): Promise<Resource | undefined> {
  const [, otherForm] = formsOf(identifier);
  const [row] = await prepared(handle).byIdentifier.execute({ identifier, otherForm });
  return row;
}

/** The identifiers of an application's resources, which stay until the transaction ends. */
export async function lockResources({ db, tables: { resources } }: Handle, appId: string): Promise<string[]> {
  const ofApplication = db.select({ identifier: resources.identifier }).from(resources);
  const query = ofApplication.where(eq(resources.appId, appId)).orderBy(asc(resources.identifier));
  return (await forShare(query)).map(({ identifier }) => identifier);
}

/** By identifier; of all applications without `appId`. */
export async function listResources(
  { db, tables: { resources } }: Handle,
  appId: string | undefined,
): Promise<Resource[]> {
  return await db
    .select()
    .from(resources)
    .where(appId === undefined ? undefined : eq(resources.appId, appId))
    .orderBy(asc(resources.identifier));
}

export async function countResources({ db, tables: { resources } }: Handle, appId: string): Promise<number> {
  const [row] = await db.select({ value: count() }).from(resources).where(eq(resources.appId, appId));
  return row?.value ?? 0;
}

export async function insertResource({ db, tables: { resources } }: Handle, resource: Resource): Promise<void> {
  await db.insert(resources).values(resource);
}

/** Locks the resource until the transaction ends, and returns its latest committed state. */
export async function lockResource(
  { db, tables: { resources } }: Handle,
  identifier: string,
  now: number,
): Promise<Resource | undefined> {
  const [row] = await db
    .update(resources)
    .set({ updatedAt: now })
    .where(inArray(resources.identifier, formsOf(identifier)))
    .returning();
  return row;
}

/** Writes a resource that this transaction has locked and changed. */
export async function saveResource(
  { db, tables: { resources } }: Handle,
  { identifier, ...changed }: Resource,
): Promise<void> {
  await db.update(resources).set(changed).where(eq(resources.identifier, identifier));
}

export async function deleteResource({ db, tables: { resources } }: Handle, identifier: string): Promise<void> {
  await db.delete(resources).where(eq(resources.identifier, identifier));
}
