import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { acting, organizationCommand, organizationOf } from "../../input/organization-flags.ts";

export function addOrganizationDelete(organization: CliCommand, cli: Cli): void {
  organizationCommand(
    organization,
    "delete",
    "delete an organization at once; its members stay users, its machines are deleted",
  )
    .dryRun("validate without deleting anything")
    .examples(
      "authsvc organization delete acme --app app_shop --dry-run",
      "authsvc organization delete acme --app app_shop --yes --json",
    )
    .withApp(async (ctx, idOrSlug: string, { app }: { app: string }) => {
      const deletion = await import("../../../organizations/deletion.ts");
      const service = await import("../../../organizations/service.ts");
      const found = await organizationOf(ctx, app, idOrSlug);
      const { id, slug, name, members } = await service.details(ctx, found);
      const all = `${members} ${members === 1 ? "membership" : "memberships"}`;
      await cli.demandYes(`Delete the organization ${name} (${slug}) with its ${all}, for good?`);
      await deletion.remove(ctx, found, acting(cli));
      await cli.gone("deleted", slug, { id, slug, members });
    });
}
