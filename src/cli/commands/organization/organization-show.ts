import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { organizationCommand, organizationOf } from "../../input/organization-flags.ts";
import { organizationText } from "../../output/organization-text.ts";

export function addOrganizationShow(organization: CliCommand, cli: Cli): void {
  organizationCommand(organization, "show", "show an organization with the number of its members")
    .examples(
      "authsvc organization show acme --app app_shop",
      "authsvc organization show acme --app app_shop --json | jq .members",
    )
    .withApp(async (ctx, idOrSlug: string, { app }: { app: string }) => {
      const service = await import("../../../organizations/service.ts");
      const found = await service.details(ctx, await organizationOf(ctx, app, idOrSlug));
      await cli.result(found, organizationText(found, cli.screen(), found));
    });
}
