import { and, eq } from "drizzle-orm";
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
