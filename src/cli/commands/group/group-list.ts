import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addGroupList(group: CliCommand, cli: Cli): void {
  group
    .command("list")
    .description("list the groups of an application, by name")
    .asks("--app <id>", "App ID")
    .examples("authsvc group list --app app_shop", "authsvc group list --app app_shop --json | jq -r '.[].name'")
    .withApp(async (ctx, { app }: { app: string }) => {
      const groups = await import("../../../users/groups/service.ts");
      await cli.list(
        await groups.list(ctx, app),
        {
          GROUP: ({ name }) => name,
          "SECOND FACTOR": ({ secondFactor }) => secondFactor,
          CREATED: ({ createdAt }, screen) => screen.time(createdAt),
        },
        "There are no groups yet.",
      );
    });
}
