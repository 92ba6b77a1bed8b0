import { AppError } from "../../../lib/errors.ts";
import type { SecondFactorPolicy } from "../../../storage/column-types.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { secondFactorOption } from "../../input/second-factor-flags.ts";
import { factorNoteOf } from "../../../upkeep/waiting-notes.ts";
import { groupText } from "../../output/group-text.ts";

type Flags = { app: string; secondFactor?: SecondFactorPolicy };

export function addGroupUpdate(group: CliCommand, cli: Cli): void {
  group
    .command("update")
    .description("change the settings of a group")
    .asks("[GROUP]", "name", "Name of the group")
    .asks("--app <id>", "App ID")
    .addOption(secondFactorOption("required: its members need a second factor"))
    .dryRun("validate without changing anything")
    .examples(
      "authsvc group update staff --app app_shop --second-factor required",
      "authsvc group update staff --app app_shop --second-factor off --json",
    )
    .withApp(async (ctx, name: string, { app: appId, secondFactor }: Flags) => {
      if (secondFactor === undefined)
        throw new AppError("INVALID_REQUEST", "Nothing to change: give at least one option, such as --second-factor");
      const groups = await import("../../../users/groups/service.ts");
      const call = { actor: commandActor(), dryRun: cli.isDryRun() };
      const changed = await groups.update(ctx, appId, name, { secondFactor }, call);
      await cli.result(changed, groupText(changed, cli.screen()));
      if (secondFactor === "required") await cli.note(await factorNoteOf(ctx, { appId, groups: [changed.name] }));
    });
}
