import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addClientCredentialList(credential: CliCommand, cli: Cli): void {
  credential
    .command("list")
    .description("list the issuers and subjects whose tokens authenticate a client")
    .asks("[ID]", "client ID", "Client ID")
    .examples(
      "authsvc client credential list nightly",
      "authsvc client credential list nightly --json | jq -r '.[].subject'",
    )
    .withApp(async (ctx, id: string) => {
      const trusts = await import("../../../applications/clients/workload/trusts.ts");
      await cli.list(
        await trusts.list(ctx, id),
        {
          "CREDENTIAL ID": ({ id }) => id,
          ISSUER: ({ issuer }) => issuer,
          SUBJECT: ({ subject }) => subject,
          AUDIENCE: ({ audience }) => audience ?? ctx.baseUrl,
        },
        "The client trusts no other issuer.",
      );
    });
}
