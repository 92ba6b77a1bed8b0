import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { acting, organizationCommand, organizationOf } from "../../input/organization-flags.ts";
import { organizationText } from "../../output/organization-text.ts";

/** `disable` and `enable`. */
export function addOrganizationStates(organization: CliCommand, cli: Cli): void {
  addState(organization, cli, "disable", "take an organization out of every token; its members stay");
  addState(organization, cli, "enable", "undo disable, or the deletion by an owner");
}

function addState(organization: CliCommand, cli: Cli, name: "disable" | "enable", description: string): void {
  organizationCommand(organization, name, description)
    .dryRun("validate without changing anything")
    .examples(
      `authsvc organization ${name} acme --app app_shop`,
      `authsvc organization ${name} acme --app app_shop --json`,
    )
    .withApp(async (ctx, idOrSlug: string, { app }: { app: string }) => {
      const service = await import("../../../organizations/service.ts");
      const found = await organizationOf(ctx, app, idOrSlug);
      const changed = await service.update(ctx, found, { disabled: name === "disable" }, acting(cli));
      await cli.result(changed, organizationText(changed, cli.screen()));
    });
}
