import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { roleFlag } from "../../input/operator-flags.ts";

export function addOperatorUpdate(operator: CliCommand, cli: Cli): void {
  operator
    .command("update")
    .description("change the role of an operator")
    .asks("[OPERATOR]", "ID or email address", "ID or email address of the operator")
    .asks(...roleFlag)
    .dryRun("validate without changing anything")
    .examples(
      "authsvc operator update ada@example.com --role support",
      "authsvc operator update usr_01k… --role owner --json",
    )
    .withApp(async (ctx, idOrEmail: string, { role }: { role: string }) => {
      const operators = await import("../../../operators/service.ts");
      const changed = await namingFlags({ role: "--role" }, () =>
        operators.update(ctx, idOrEmail, { role }, { dryRun: cli.isDryRun() }, { actor: commandActor() }),
      );
      await cli.result(
        changed,
        `${changed.email ?? changed.id} ${cli.isDryRun() ? "would be" : "is now"} ${changed.role}.\n`,
      );
    });
}
