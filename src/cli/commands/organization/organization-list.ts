import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { applicationWith } from "../../input/organization-flags.ts";
import { wholeNumberFrom } from "../../input/values.ts";
import { organizationColumns } from "../../output/organization-text.ts";

type Flags = { app: string; limit: number; after?: string };

export function addOrganizationList(organization: CliCommand, cli: Cli): void {
  organization
    .command("list")
    .description("list the organizations of an application, by ID")
    .asks("--app <id>", "App ID")
    .option("--limit <number>", "maximum number to list", wholeNumberFrom(1, 1000), 100)
    .option("--after <organization>", "start after this ID (the last one of the previous page)")
    .examples(
      "authsvc organization list --app app_shop",
      "authsvc organization list --app app_shop --json | jq -r '.[].slug'",
    )
    .withApp(async (ctx, { app: appId, limit, after = "" }: Flags) => {
      await applicationWith(ctx, appId);
      const service = await import("../../../organizations/service.ts");
      const { organizations, nextCursor } = await service.list(ctx, appId, { after, limit });
      await cli.list(organizations, organizationColumns, "There are no organizations yet.");
      if (nextCursor !== null) await cli.note(`There are more. To continue: --after ${nextCursor}`);
    });
}
