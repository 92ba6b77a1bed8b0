import { eq } from "drizzle-orm";
import type { Application } from "../../../src/applications/application.ts";
import * as applications from "../../../src/applications/service.ts";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import type { TestApp, TestService } from "../service.ts";

/** What an app's storage holds about people, in the order of creation. */
export async function usersOf(service: TestService, app: TestApp) {
  const { db, tables } = service.server.app.ctx.storage.reader;
  return await db.select().from(tables.users).where(eq(tables.users.appId, app.id)).orderBy(tables.users.id);
}

export async function identitiesOf(service: TestService, app: TestApp) {
  const { db, tables } = service.server.app.ctx.storage.reader;
  const { oauthIdentities } = tables;
  return await db.select().from(oauthIdentities).where(eq(oauthIdentities.appId, app.id)).orderBy(oauthIdentities.id);
}

export async function auditOf(service: TestService, app: TestApp) {
  await aggregatedEvents(service.server.app.ctx).flush();
  const { db, tables } = service.server.app.ctx.storage.reader;
  return await db.select().from(tables.auditEvents).where(eq(tables.auditEvents.appId, app.id));
}

export async function changeUser(
  service: TestService,
  email: string,
  change: { emailVerified?: boolean; disabledAt?: number; name?: string | null },
): Promise<void> {
  await service.server.app.ctx.storage.write(async ({ db, tables: { users } }) => {
    await db.update(users).set(change).where(eq(users.email, email));
  });
}

/** Straight into storage: tests also need settings that commands refuse. */
export async function changeApplication(
  service: TestService,
  app: TestApp,
  change: (application: Application) => Partial<Application>,
): Promise<void> {
  const application = await applications.find(service.server.app.ctx, service.server.app.ctx.storage.reader, app.id);
  if (!application) throw new Error("there is no such app");
  await service.server.app.ctx.storage.write(async ({ db, tables: { applications } }) => {
    await db.update(applications).set(change(application)).where(eq(applications.id, app.id));
  });
}

export async function closeSignUp(service: TestService, app: TestApp): Promise<void> {
  await changeApplication(service, app, ({ settings }) => ({ settings: { ...settings, signUp: "closed" } }));
}
