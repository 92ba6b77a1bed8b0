import { eq, getTableColumns } from "drizzle-orm";
import type { Application } from "../applications/application.ts";
import { placeholders, prepare, statements, type Handle } from "../storage/storage.ts";
import type { SignInSession } from "./session.ts";
import { findSession } from "./store.ts";

const prepared = statements(({ db, tables: { signInSessions: sessions, applications } }) => ({
  application: prepare(
    db
      .select()
      .from(applications)
      .where(eq(applications.id, placeholders(applications).id)),
    "application_of_sign_in_session",
  ),
  both: prepare(
    db
      .select({
        ...getTableColumns(applications),
        appCreatedAt: applications.createdAt,
        ...getTableColumns(sessions),
      })
      .from(sessions)
      .innerJoin(applications, eq(applications.id, sessions.appId))
      .where(eq(sessions.digest, placeholders(sessions).digest)),
    "sign_in_session_with_application",
  ),
}));

/**
 * A session and the application that it is for. Behind a socket in one statement; SQLite, where a statement costs little, takes ten times as long
 * for a join of so many columns.
 */
export async function findSessionWithApplication(
  handle: Handle,
  digest: string,
): Promise<{ session: SignInSession; application: Application } | undefined> {
  if (handle.gathers) return await findBoth(handle, digest);
  const session = await findSession(handle, digest);
  const [application] = session ? await prepared(handle).application.execute({ id: session.appId }) : [];
  return session && application && { session, application };
}

async function findBoth(handle: Handle, digest: string) {
  const [row] = await prepared(handle).both.execute({ digest });
  if (!row) return undefined;
  const { id, name, domain, redirectUris, authMethods, branding, settings, updatedAt, appCreatedAt, ...session } = row;
  const createdAt = appCreatedAt;
  return {
    session,
    application: { id, name, domain, redirectUris, authMethods, branding, settings, createdAt, updatedAt },
  };
}
