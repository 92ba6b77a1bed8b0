import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { methodsText, withSettings } from "../output/application-text.ts";
import { table } from "../output/table.ts";

export function addAppList(app: Command, cli: Cli): void {
  const command = app.command("list").description("list all applications");
  examples(command, ["authsvc app list", "authsvc app list --json | jq -r '.[].id'"]).action(async () => {
    await cli.withCore(async (ctx) => {
      const applications = await import("../../applications/service.ts");
      const all = await Promise.all((await applications.list(ctx)).map((answer) => withSettings(ctx, answer)));
      const rows = all.map(({ id, name, domain, authMethods, stats }) => [
        id,
        name,
        domain ?? "-",
        methodsText(authMethods),
        String(stats.totalUsers),
      ]);
      const text = all.length === 0 ? "" : table(["APP ID", "NAME", "DOMAIN", "METHODS", "USERS"], rows, cli.screen());
      await cli.result(all, text);
      if (all.length === 0)
        await cli.note("There are no applications yet. To create one: authsvc app create --name NAME");
    });
  });
}
