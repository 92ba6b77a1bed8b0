import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { acting, organizationCommand, organizationFlags, organizationOf } from "../../input/organization-flags.ts";
import { facts } from "../../output/text.ts";

export function addOrganizationSetupLink(organization: CliCommand, cli: Cli): void {
  organizationCommand(
    organization,
    "setup-link",
    "mail a link, which works for 7 days, by which somebody adds a domain and a provider for confirmation",
  )
    .asks("[ADDRESS]", "email address", "Email address")
    .dryRun("validate without mailing anything", "nothing was mailed")
    .examples(
      "authsvc organization setup-link acme it@acme.example --app app_shop",
      "authsvc organization setup-link acme it@acme.example --app app_shop --json | jq -r .expiresAt",
    )
    .withApp(async (ctx, named: string, email: string, { app }: { app: string }) => {
      const setupLinks = await import("../../../companies/setup-links.ts");
      const found = await organizationOf(ctx, app, named);
      const flags = { ...organizationFlags, email: "ADDRESS" };
      const made = await namingFlags(flags, () => setupLinks.make(ctx, found, { email }, acting(cli)));
      await cli.result(
        made,
        facts([
          ["Mailed to", made.email],
          ["Works until", cli.screen().moment(made.expiresAt)],
        ]),
      );
    });
}
