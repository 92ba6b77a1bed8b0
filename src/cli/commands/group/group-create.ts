import { AppError } from "../../../lib/errors.ts";
import type { SecondFactorPolicy } from "../../../storage/column-types.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { secondFactorOption } from "../../input/second-factor-flags.ts";
import { groupText } from "../../output/group-text.ts";

type Flags = { app: string; secondFactor?: SecondFactorPolicy };

export function addGroupCreate(group: CliCommand, cli: Cli): void {
  group
    .command("create")
    .description("create a group of an application's users")
    .asks("[GROUP]", "name: letters, digits and . _ : @ + -", "Name of the group")
    .asks("--app <id>", "App ID")
    .addOption(secondFactorOption("required: its members need a second factor"))
    .dryRun("validate without creating anything", "nothing was created")
    .examples(
      "authsvc group create staff --app app_shop",
      "authsvc group create team:ops --app app_shop --second-factor required --json",
    )
    .withApp(async (ctx, name: string, { app: appId, secondFactor }: Flags) => {
      const groups = await import("../../../users/groups/service.ts");
      const { group: created, isNew } = await namingFlags({ name: "GROUP" }, () =>
        groups.create(ctx, appId, name, { actor: commandActor(), dryRun: cli.isDryRun() }, { secondFactor }),
      );
      if (!isNew) throw new AppError("CONFLICT", "The application already has a group with this name.");
      await cli.result(created, groupText(created, cli.screen()));
    });
}
