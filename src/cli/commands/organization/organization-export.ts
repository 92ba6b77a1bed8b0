import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { applicationWith } from "../../input/organization-flags.ts";
import { write } from "../../io.ts";
import { json } from "../../output/text.ts";

export function addOrganizationExport(organization: CliCommand, cli: Cli): void {
  organization
    .command("export")
    .description("print every organization with its members as JSON Lines, for organization import")
    .asks("--app <id>", "App ID")
    .option("--with-secrets", "with the client secrets of their providers")
    .examples(
      "authsvc organization export --app app_shop > organizations.jsonl",
      "authsvc organization export --app app_shop | jq -r .slug",
    )
    .withApp(async (ctx, { app, withSecrets = false }: { app: string; withSecrets?: boolean }) => {
      await applicationWith(ctx, app);
      const transfer = await import("../../../organizations/transfer.ts");
      const { stdout } = cli.io;
      let without = 0;
      for await (const { line, leftOut } of transfer.exported(ctx, app, { withSecrets })) {
        await write(stdout, json(line, false));
        // The reader has closed the pipe (`| head`).
        if (stdout.destroyed) return;
        without += leftOut;
      }
      if (without > 0) await cli.note(`Left out: members without a verified address, ${without}.`);
    });
}
