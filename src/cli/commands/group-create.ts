import type { Command } from "commander";
import { AppError } from "../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { askForGroup, groupText } from "../output/group-text.ts";

type Flags = { app?: string; dryRun?: boolean };

export function addGroupCreate(group: Command, cli: Cli): void {
  const command = group
    .command("create")
    .description("create a group of an application's users")
    .argument("[GROUP]", "name: letters, digits and . _ : @ + -")
    .option("--app <id>", "App ID")
    .option("--dry-run", "validate without creating anything");
  examples(command, [
    "authsvc group create staff --app app_shop",
    "authsvc group create team:ops --app app_shop --json",
  ]).action(async (argument: string | undefined, flags: Flags) => {
    const name = await askForGroup(cli.io, argument);
    const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
    const { dryRun = false } = flags;
    await cli.withApp(async (ctx) => {
      const groups = await import("../../users/groups/service.ts");
      const { group: created, isNew } = await namingFlags({ name: "GROUP" }, () =>
        groups.create(ctx, appId, name, { actor: commandActor(), dryRun }),
      );
      if (!isNew) throw new AppError("CONFLICT", "The application already has a group with this name.");
      await cli.result(dryRun ? { ...created, dryRun } : created, groupText(created, cli.screen()));
      if (dryRun) await cli.note("Dry run: nothing was created.");
    });
  });
}
