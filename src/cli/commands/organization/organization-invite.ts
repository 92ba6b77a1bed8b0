import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import {
  acting,
  applicationWith,
  organizationCommand,
  organizationFlags,
  organizationOf,
} from "../../input/organization-flags.ts";
import { listOf } from "../../input/values.ts";
import { exitCodes } from "../../exit-codes.ts";
import { invitationColumns } from "../../output/organization-text.ts";
import { tableOf } from "../../output/table.ts";

type Flags = { app: string; roles: string; redirectUri?: string; providerExempt?: boolean };

export function addOrganizationInvite(organization: CliCommand, cli: Cli): void {
  organizationCommand(
    organization,
    "invite",
    "mail invitations, which work for 7 days and only for the person with this address",
  )
    .asks("[ADDRESS...]", "email addresses", "Email address")
    .asks("--roles <list>", "owner, admin, member or roles of the application, separated by commas")
    .option("--redirect-uri <uri>", "registered redirect URI where accepting ends (default: the application's home)")
    .option("--provider-exempt", "they may do without the organization's provider, such as helpers from outside")
    .dryRun("validate without inviting anybody", "nobody was invited")
    .examples(
      "authsvc organization invite acme bob@acme.example --app app_shop --roles member",
      "authsvc organization invite acme bob@acme.example eve@acme.example --app app_shop --roles member --json",
    )
    .withApp(async (ctx, idOrSlug: string, emails: string[], { app, roles, redirectUri, providerExempt }: Flags) => {
      const invitations = await import("../../../organizations/invitations.ts");
      const application = await applicationWith(ctx, app);
      const found = await organizationOf(ctx, app, idOrSlug);
      const wanted = emails.map((email) => ({ email, roles: listOf(roles), redirectUri, providerExempt }));
      const results = await namingFlags(organizationFlags, () =>
        invitations.invite(ctx, application, found, wanted, acting(cli)),
      );
      const shown = results.map(({ error, ...result }) => ({
        ...result,
        error: error && { code: error.code, message: error.message, details: error.details },
      }));
      await cli.result(shown, tableOf(results, invitationColumns, cli.screen()));
      if (results.some(({ error }) => error)) cli.endWith(exitCodes.refused);
    });
}
