import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { acting, organizationCommand, organizationOf } from "../../input/organization-flags.ts";
import {
  domainColumns,
  openInvitationColumns,
  organizationText,
  providerText,
} from "../../output/organization-text.ts";
import { tableOf } from "../../output/table.ts";

export function addOrganizationShow(organization: CliCommand, cli: Cli): void {
  organizationCommand(organization, "show", "show an organization: its number of members, domains and open invitations")
    .examples(
      "authsvc organization show acme --app app_shop",
      "authsvc organization show acme --app app_shop --json | jq .domains",
    )
    .withApp(async (ctx, idOrSlug: string, { app }: { app: string }) => {
      const service = await import("../../../organizations/service.ts");
      const domainService = await import("../../../organizations/domains/service.ts");
      const invitationService = await import("../../../organizations/invitations.ts");
      const organization = await organizationOf(ctx, app, idOrSlug);
      const found = await service.details(ctx, organization);
      const domains = await domainService.list(ctx, organization, acting(cli));
      const { show } = await import("../../../companies/service.ts");
      const providers = await show(ctx, organization, acting(cli));
      const hasProvider = providers.provider !== null || providers.waiting !== null;
      const all = { after: "", limit: invitationService.maxOpen };
      const { invitations } = await invitationService.list(ctx, organization, all);
      const screen = cli.screen();
      const tables = [
        hasProvider ? `\n${providerText(providers, screen)}` : "",
        domains.length === 0 ? "" : `\n${tableOf(domains, domainColumns, screen)}`,
        invitations.length === 0 ? "" : `\n${tableOf(invitations, openInvitationColumns, screen)}`,
      ];
      const shown = { ...found, domains, invitations, ...(hasProvider && { providers }) };
      await cli.result(shown, organizationText(found, screen, found) + tables.join(""));
    });
}
