import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

type Flags = { allow?: string[]; any?: boolean };

export function addOperatorNetworks(operator: CliCommand, cli: Cli): void {
  operator
    .command("networks")
    .description("show or change the networks from which operators may use the console")
    .option("--allow <network...>", "only from these: addresses, or networks such as 10.0.0.0/8; repeatable")
    .option("--any", "from anywhere")
    .dryRun("validate without changing anything")
    .examples("authsvc operator networks --allow 10.0.0.0/8 192.0.2.7", "authsvc operator networks --any --json")
    .withApp(async (ctx, { allow, any }: Flags) => {
      const operators = await import("../../../operators/service.ts");
      const wanted = any === true ? [] : allow;
      const networks =
        wanted === undefined
          ? await operators.networks(ctx)
          : await namingFlags({ networks: "--allow" }, () =>
              operators.setNetworks(ctx, wanted, { dryRun: cli.isDryRun() }, { actor: commandActor() }),
            );
      await cli.result(
        { networks },
        networks.length === 0 ? "From anywhere.\n" : networks.map((network) => `${network}\n`).join(""),
      );
    });
}
