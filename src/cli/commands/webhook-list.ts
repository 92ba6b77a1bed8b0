import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { webhookTable } from "../output/webhook-text.ts";

export function addWebhookList(webhook: Command, cli: Cli): void {
  const command = webhook
    .command("list")
    .description("list webhook endpoints and how many deliveries are waiting")
    .option("--app <id>", "only this application");
  examples(command, ["authsvc webhook list --app app_shop", "authsvc webhook list --json | jq -r '.[].url'"]).action(
    async ({ app }: { app?: string }) => {
      await cli.withApp(async (ctx) => {
        const applications = await import("../../applications/service.ts");
        const webhooks = await import("../../records/webhooks/service.ts");
        if (app !== undefined) await applications.get(ctx, app);
        const list = await webhooks.listWithWaiting(ctx, app);
        await cli.result(list, list.length === 0 ? "" : webhookTable(list, cli.screen()));
        if (list.length === 0) await cli.note("There are no webhook endpoints yet.");
      });
    },
  );
}
