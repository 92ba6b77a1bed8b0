import type { SecondFactorPolicy } from "../../../storage/column-types.ts";
import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { acting, applicationWith, maxMembersFrom, organizationFlags } from "../../input/organization-flags.ts";
import { secondFactorOption } from "../../input/second-factor-flags.ts";
import { jsonOf } from "../../input/values.ts";
import { organizationText } from "../../output/organization-text.ts";

type Flags = {
  app: string;
  owner: string;
  slug?: string;
  secondFactor?: SecondFactorPolicy;
  maxMembers?: number | null;
  publicMetadata?: string;
};

export function addOrganizationCreate(organization: CliCommand, cli: Cli): void {
  organization
    .command("create")
    .description("create an organization with its owner")
    .asks("[NAME]", "name, shown in mails", "Name of the organization")
    .asks("--app <id>", "App ID")
    .asks("--owner <user>", "User ID, or an email address that is invited to own it")
    .option("--slug <slug>", "2 to 48 of a-z, 0-9 and - (default: derived from the name)")
    .addOption(secondFactorOption("required: its members need a second factor"))
    .option("--max-members <number>", "maximum number of members", maxMembersFrom)
    .option("--public-metadata <json>", "data about it, shown to its owners and admins")
    .dryRun("validate without creating anything", "nothing was created")
    .examples(
      "authsvc organization create Acme --app app_shop --owner ada@acme.example",
      "authsvc organization create Acme --app app_shop --owner usr_01k… --slug acme --json",
    )
    .withApp(async (ctx, name: string, { app: appId, publicMetadata, ...flags }: Flags) => {
      const application = await applicationWith(ctx, appId);
      const organizations = await import("../../../organizations/service.ts");
      const input = { name, ...flags, publicMetadata: jsonOf("--public-metadata", publicMetadata) };
      const created = await namingFlags({ ...organizationFlags, name: "NAME" }, () =>
        organizations.create(ctx, application, input, acting(cli)),
      );
      await cli.result(created, organizationText(created, cli.screen()));
    });
}
