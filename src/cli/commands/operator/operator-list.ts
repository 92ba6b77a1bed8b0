import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addOperatorList(operator: CliCommand, cli: Cli): void {
  operator
    .command("list")
    .description("list the operators of the console, oldest first")
    .examples("authsvc operator list", "authsvc operator list --json | jq -r '.[].email'")
    .withApp(async (ctx) => {
      const operators = await import("../../../operators/service.ts");
      await cli.list(
        await operators.list(ctx),
        {
          ID: ({ id }) => id,
          EMAIL: ({ email }) => email ?? "-",
          ROLE: ({ role }) => role,
          STATE: ({ state }) => state,
          "LAST SEEN": ({ lastSeenAt }, screen) => (lastSeenAt === null ? "never" : screen.time(lastSeenAt)),
        },
        "There are no operators yet. Invite one: authsvc operator invite",
      );
    });
}
