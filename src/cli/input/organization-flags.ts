/** What the commands of organizations share. */
import { hasOrganizations, type Application } from "../../applications/application.ts";
import { AppError, applicationNotFound } from "../../lib/errors.ts";
import type { Acting, Organization } from "../../organizations/organization.ts";
import type { Context } from "../../runtime/context.ts";
import { commandActor, type Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";

export const organizationFlags = {
  name: "--name",
  slug: "--slug",
  owner: "--owner",
  maxMembers: "--max-members",
  publicMetadata: "--public-metadata",
  roles: "--roles",
  invitations: "ADDRESS",
  email: "ADDRESS",
  redirectUri: "--redirect-uri",
};

/** The operator acts, by a command. */
export function acting(cli: Cli): Acting {
  return { actor: commandActor(), dryRun: cli.isDryRun() };
}

/** A command about one organization of an application. */
export function organizationCommand(group: CliCommand, name: string, description: string): CliCommand {
  return group
    .command(name)
    .description(description)
    .asks("[ORGANIZATION]", "ID or slug", "ID or slug of the organization")
    .asks("--app <id>", "App ID");
}

/** Throws APP_NOT_FOUND, and CONFLICT while organizations are off. */
export async function applicationWith(ctx: Context, appId: string): Promise<Application> {
  const applications = await import("../../applications/service.ts");
  const application = await applications.find(ctx, ctx.storage.reader, appId);
  if (!application) throw applicationNotFound();
  if (!hasOrganizations(application))
    throw new AppError("CONFLICT", `Organizations are off: authsvc app update ${appId} --organizations on`);
  return application;
}

/** By ID or slug. Throws ORGANIZATION_NOT_FOUND, and as `applicationWith`. */
export async function organizationOf(ctx: Context, appId: string, idOrSlug: string): Promise<Organization> {
  await applicationWith(ctx, appId);
  const organizations = await import("../../organizations/service.ts");
  return await organizations.named(ctx.storage.reader, appId, idOrSlug);
}

/** An empty text or `none` is null. */
export function maxMembersFrom(text: string): number | null {
  return text === "" || text === "none" ? null : Number(text);
}
