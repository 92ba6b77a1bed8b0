import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { webhookState } from "../../output/webhook-text.ts";

export function addWebhookList(webhook: CliCommand, cli: Cli): void {
  webhook
    .command("list")
    .description("list webhook endpoints and how many deliveries are waiting")
    .option("--app <id>", "only this application")
    .examples("authsvc webhook list --app app_shop", "authsvc webhook list --json | jq -r '.[].url'")
    .withApp(async (ctx, { app }: { app?: string }) => {
      const applications = await import("../../../applications/service.ts");
      const webhooks = await import("../../../records/webhooks/service.ts");
      if (app !== undefined) await applications.get(ctx, app);
      await cli.list(
        await webhooks.listWithWaiting(ctx, app),
        {
          "WEBHOOK ID": ({ id }) => id,
          "APP ID": ({ appId }) => appId,
          URL: ({ url }) => url,
          EVENTS: ({ events }, { columns }) => events.join(columns === undefined ? "," : ", "),
          WAITING: ({ waiting }) => String(waiting),
          STATE: webhookState,
        },
        "There are no webhook endpoints yet.",
      );
    });
}
