import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven, demandYes } from "../input/ask.ts";

export function addWebhookDelete(webhook: Command, cli: Cli): void {
  const command = webhook
    .command("delete")
    .description("delete a webhook endpoint and its waiting deliveries")
    .argument("[ID]", "Webhook ID")
    .option("--dry-run", "validate without deleting anything");
  examples(command, [
    "authsvc webhook delete whe_shop --dry-run",
    "authsvc webhook delete whe_shop --yes --json",
  ]).action(async (argument: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
    const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Webhook ID" });
    await cli.withApp(async (ctx) => {
      const webhooks = await import("../../records/webhooks/service.ts");
      const { appId, url } = await webhooks.get(ctx, id);
      if (!dryRun) {
        await demandYes(cli.io, cli.saidYes(), `Delete ${id} of ${appId}, and tell ${url} nothing more?`);
        await webhooks.remove(ctx, id, { actor: commandActor() });
      }
      await cli.result(
        { id, appId, deleted: !dryRun, ...(dryRun ? { dryRun } : {}) },
        `${id} ${dryRun ? "would be" : "was"} deleted.\n`,
      );
      if (dryRun) await cli.note("Dry run: nothing was changed.");
    });
  });
}
