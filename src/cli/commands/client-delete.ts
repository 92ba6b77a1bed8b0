import type { Command } from "commander";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven, demandYes } from "../input/ask.ts";

export function addClientDelete(client: Command, cli: Cli): void {
  const command = client
    .command("delete")
    .description("permanently delete a client, and end the logins that it began; its ID cannot be reused")
    .argument("[ID]", "client ID")
    .option("--dry-run", "validate without deleting anything");
  examples(command, ["authsvc client delete grafana --dry-run", "authsvc client delete grafana --yes --json"]).action(
    async (argument: string | undefined, { dryRun = false }: { dryRun?: boolean }) => {
      const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "Client ID" });
      await cli.withApp(async (ctx) => {
        const clients = await import("../../applications/clients/service.ts");
        const { appId, name } = await clients.get(ctx, id);
        if (!dryRun) await demandYes(cli.io, cli.saidYes(), `Delete ${name} (${id}), and end the logins it began?`);
        await clients.remove(ctx, id, { actor: commandActor(), dryRun });
        await cli.result(
          { id, appId, deleted: !dryRun, ...(dryRun ? { dryRun } : {}) },
          `${id} ${dryRun ? "would be" : "was"} deleted.\n`,
        );
        if (dryRun) await cli.note("Dry run: nothing was changed.");
      });
    },
  );
}
