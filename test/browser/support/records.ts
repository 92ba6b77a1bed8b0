import { eq } from "drizzle-orm";
import { digestOf } from "../../../src/lib/random.ts";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import type { AppSettings, AuthMethods, Branding } from "../../../src/storage/column-types.ts";
import type { Session } from "../../support/person.ts";
import type { TestApp, TestService } from "../../support/service.ts";

/** The sign-in session as it is stored. */
export async function storedSession(service: TestService, { sessionId }: Session) {
  const { db, tables } = service.server.app.ctx.storage.reader;
  const [row] = await db
    .select()
    .from(tables.signInSessions)
    .where(eq(tables.signInSessions.digest, digestOf(sessionId)));
  if (!row) throw new Error("the session is not stored");
  return row;
}

export async function usersOf(service: TestService, app: TestApp) {
  const { db, tables } = service.server.app.ctx.storage.reader;
  return await db.select().from(tables.users).where(eq(tables.users.appId, app.id));
}

/** What the audit log holds about an app, as "action result". */
export async function auditOf(service: TestService, app: TestApp): Promise<string[]> {
  await aggregatedEvents(service.server.app.ctx).flush();
  const { db, tables } = service.server.app.ctx.storage.reader;
  const rows = await db.select().from(tables.auditEvents).where(eq(tables.auditEvents.appId, app.id));
  return rows.map((row) => `${row.action} ${row.result}`);
}

type Change = {
  name?: string;
  redirectUris?: string[];
  methods?: Partial<Record<"passkey" | "password", boolean>>;
  settings?: Partial<AppSettings>;
  branding?: Partial<Branding>;
};

/** Changes an app as an operator would; there is no command for it yet. */
export async function changeApp(service: TestService, app: TestApp, change: Change): Promise<void> {
  const { methods = {}, settings, branding, ...rest } = change;
  await service.server.app.ctx.storage.write(async ({ db, tables: { applications } }) => {
    const [row] = await db.select().from(applications).where(eq(applications.id, app.id));
    if (!row) throw new Error("there is no such app");
    const { passkey, password, oauth } = row.authMethods;
    const authMethods: AuthMethods = {
      passkey: { ...passkey, enabled: methods.passkey ?? passkey.enabled },
      password: { ...password, enabled: methods.password ?? password.enabled },
      oauth,
    };
    const changed = {
      authMethods,
      settings: { ...row.settings, ...settings },
      branding: { ...row.branding, ...branding },
    };
    await db
      .update(applications)
      .set({ ...rest, ...changed })
      .where(eq(applications.id, app.id));
  });
}

export async function deleteUser(service: TestService, email: string): Promise<void> {
  await service.server.app.ctx.storage.write(async ({ db, tables: { users } }) => {
    await db.delete(users).where(eq(users.email, email));
  });
}

export async function disableUser(service: TestService, email: string): Promise<void> {
  await service.server.app.ctx.storage.write(async ({ db, tables: { users } }) => {
    await db.update(users).set({ disabledAt: service.clock.now }).where(eq(users.email, email));
  });
}
