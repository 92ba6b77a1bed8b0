import { methodsText } from "../../../applications/methods-text.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { withSettings } from "../../output/application-text.ts";

export function addAppList(app: CliCommand, cli: Cli): void {
  app
    .command("list")
    .description("list all applications")
    .examples("authsvc app list", "authsvc app list --json | jq -r '.[].id'")
    .withCore(async (ctx) => {
      const applications = await import("../../../applications/service.ts");
      const all = await Promise.all((await applications.list(ctx)).map((answer) => withSettings(ctx, answer)));
      await cli.list(
        all,
        {
          "APP ID": ({ id }) => id,
          NAME: ({ name }) => name,
          DOMAIN: ({ domain }) => domain ?? "-",
          METHODS: ({ authMethods }) => methodsText(authMethods),
          USERS: ({ stats }) => String(stats.totalUsers),
        },
        "There are no applications yet. To create one: authsvc app create --name NAME",
      );
    });
}
