import type { Command } from "commander";
import { methodsText, withSettings } from "../output/application-text.ts";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { table } from "../output/table.ts";

export function addAppList(app: Command, cli: Cli): void {
  const command = app.command("list").description("list all applications");
  examples(command, ["authsvc app list", "authsvc app list --json | jq -r '.[].id'"]).action(async () => {
    await cli.withCore(async ({ applications }) => {
      const all = await Promise.all((await applications.list()).map((answer) => withSettings(applications, answer)));
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
