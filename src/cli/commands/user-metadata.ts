import type { Command } from "commander";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { jsonOf } from "../input/values.ts";
import { facts } from "../output/text.ts";

type Flags = { public?: string; private?: string; dryRun?: boolean };

export function addUserMetadata(user: Command, cli: Cli): void {
  const command = user
    .command("metadata")
    .description(
      "show or change the metadata that the application stores about a user, who never sees the private part",
    )
    .argument("[ID]", "User ID")
    .option("--public <json>", "JSON merge patch of the part that the user may read; null removes all")
    .option("--private <json>", "JSON merge patch of the part that only servers and operators read")
    .option("--dry-run", "validate without changing anything");
  examples(command, [
    "authsvc user metadata usr_01k…",
    `authsvc user metadata usr_01k… --public '{"plan":"pro"}' --private '{"customer":4711}' --json`,
  ]).action(async (argument: string | undefined, { dryRun = false, ...flags }: Flags) => {
    const userId = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "User ID" });
    const change = {
      public: jsonOf("--public", flags.public),
      private: jsonOf("--private", flags.private),
    };
    const changes = change.public !== undefined || change.private !== undefined;
    await cli.withApp(async (ctx) => {
      const userMetadata = await import("../../users/metadata-changes.ts");
      const names = { public: "--public", private: "--private" };
      const patch = () => userMetadata.patch(ctx, { userId }, change, { actor: commandActor(), dryRun });
      const shown = changes ? await namingFlags(names, patch) : await userMetadata.get(ctx, { userId });
      const text = facts([
        ["Public", JSON.stringify(shown.public)],
        ["Private", JSON.stringify(shown.private)],
      ]);
      await cli.result(dryRun ? { ...shown, dryRun } : shown, text);
      if (dryRun) await cli.note("Dry run: nothing was changed.");
    });
  });
}
