import type { ClientAnswer } from "../../../applications/clients/client.ts";
import type { DocumentAnswer } from "../../../applications/documents/service.ts";
import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { timeOr } from "../../output/screen.ts";

export function addClientList(client: CliCommand, cli: Cli): void {
  client
    .command("list")
    .description("list clients, also those that nobody registered, and when they were last used (within an hour)")
    .option("--app <id>", "App ID (default: all applications)")
    .examples(
      "authsvc client list --app app_shop",
      `authsvc client list --json | jq -r '.[] | select(.lastUsedAt == null) | .id'`,
    )
    .withApp(async (ctx, { app }: { app?: string }) => {
      const clients = await import("../../../applications/clients/service.ts");
      const documents = await import("../../../applications/documents/service.ts");
      const registered = await clients.list(ctx, app);
      const unregistered = await documents.list(ctx, { appId: app });
      await cli.list<ClientAnswer | DocumentAnswer>(
        [...registered, ...unregistered],
        {
          "CLIENT ID": ({ id }) => id,
          "APP ID": (client) => (client.kind === "document" ? client.appIds.join(", ") || "-" : client.appId),
          NAME: ({ name }) => name ?? "-",
          KIND: ({ kind }) => kind,
          USERS: (client) => (client.kind === "document" ? String(client.users) : "-"),
          "LAST USED": ({ lastUsedAt }, screen) => timeOr("never", lastUsedAt, screen),
          STATE: (client) =>
            client.kind === "document"
              ? client.blockedAt === null
                ? "on"
                : "blocked"
              : client.disabledAt === null
                ? "on"
                : "off",
        },
        "There is no client yet. To create one: authsvc client create --app ID --name NAME",
      );
    });
}
