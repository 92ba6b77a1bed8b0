/** What an operator may see: one application or all, and never the console's own. */
import type { Application } from "../applications/application.ts";
import { consoleAppId } from "../applications/console-app.ts";
import * as applications from "../applications/service.ts";
import type { ApplicationAnswer } from "../applications/service.ts";
import { applicationNotFound, userNotFound } from "../lib/errors.ts";
import { organizationNotFound, type Organization } from "../organizations/organization.ts";
import * as organizations from "../organizations/service.ts";
import type { Context } from "../runtime/context.ts";
import * as users from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { Visit } from "./route.ts";

export function sees({ operator }: Visit, appId: string): boolean {
  return appId !== consoleAppId && (operator.appId ?? appId) === appId;
}

export async function applicationsOf(ctx: Context, visit: Visit): Promise<ApplicationAnswer[]> {
  return (await applications.list(ctx)).filter(({ id }) => sees(visit, id));
}

/** Throws APP_NOT_FOUND. */
export async function applicationIn(ctx: Context, visit: Visit, id: string): Promise<Application> {
  const application = sees(visit, id) ? await applications.find(ctx, ctx.storage.reader, id) : undefined;
  if (!application) throw applicationNotFound();
  return application;
}

export type OfApplication = { application: Application; organization: Organization };

/** Throws APP_NOT_FOUND, ORGANIZATION_NOT_FOUND, and UNKNOWN_PATH while organizations are off. */
export async function organizationIn(ctx: Context, visit: Visit): Promise<OfApplication> {
  const application = await applicationIn(ctx, visit, visit.request.parameter("appId"));
  if (application.settings.organizations === undefined) throw organizations.areOff();
  const id = visit.request.parameter("orgId");
  const organization = await organizations.find(ctx.storage.reader, application.id, id);
  if (!organization) throw organizationNotFound();
  return { application, organization };
}

/** Throws USER_NOT_FOUND. */
export async function personIn(ctx: Context, visit: Visit, id: string): Promise<User> {
  const user = await users.find(ctx.storage.reader, id);
  if (!user || !sees(visit, user.appId)) throw userNotFound();
  return user;
}

/**
 * The application that the query chooses; undefined for all. For an operator of one application it
 * is that one, and no other is found. Throws APP_NOT_FOUND.
 */
export async function chosenApplication(ctx: Context, visit: Visit): Promise<Application | undefined> {
  return await chosenIn(ctx, visit, visit.request.query().get("app") ?? "");
}

/** The same of a form's value. */
export async function chosenIn(ctx: Context, visit: Visit, asked: string): Promise<Application | undefined> {
  const id = asked === "" ? visit.operator.appId : asked;
  return id === undefined ? undefined : await applicationIn(ctx, visit, id);
}
