import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addOperatorRemove(operator: CliCommand, cli: Cli): void {
  operator
    .command("remove")
    .description("remove an operator with their passkeys, and end their sessions")
    .asks("[OPERATOR]", "ID or email address", "ID or email address of the operator")
    .dryRun("validate without removing anybody")
    .examples("authsvc operator remove ada@example.com --yes", "authsvc operator remove usr_01k… --dry-run --json")
    .withApp(async (ctx, idOrEmail: string) => {
      const operators = await import("../../../operators/service.ts");
      const by = { actor: commandActor() };
      const { id, email } = await operators.remove(ctx, idOrEmail, { dryRun: true }, by);
      await cli.demandYes(`Remove ${email ?? id} from the operators?`);
      if (!cli.isDryRun()) await operators.remove(ctx, id, {}, by);
      await cli.gone("removed", email ?? id, { id, email });
    });
}
