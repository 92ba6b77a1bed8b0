import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { jsonOf } from "../../input/values.ts";
import { facts } from "../../output/text.ts";
import { userIdOf } from "../../input/users.ts";

type Flags = { public?: string; private?: string };

export function addUserMetadata(user: CliCommand, cli: Cli): void {
  user
    .command("metadata")
    .description(
      "show or change the metadata that the application stores about a user, who never sees the private part",
    )
    .asksUser()
    .option("--public <json>", "JSON merge patch of the part that the user may read; null removes all")
    .option("--private <json>", "JSON merge patch of the part that only servers and operators read")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc user metadata usr_01k…",
      `authsvc user metadata usr_01k… --public '{"plan":"pro"}' --private '{"customer":4711}' --json`,
    )
    .action(async (given: string, { ...flags }: Flags) => {
      const change = {
        public: jsonOf("--public", flags.public),
        private: jsonOf("--private", flags.private),
      };
      const changes = change.public !== undefined || change.private !== undefined;
      await cli.withApp(async (ctx) => {
        const userId = await userIdOf(ctx, given);
        const userMetadata = await import("../../../people/metadata-changes.ts");
        const names = { public: "--public", private: "--private" };
        const patch = () =>
          userMetadata.patch(ctx, { userId }, change, { actor: commandActor(), dryRun: cli.isDryRun() });
        const shown = changes ? await namingFlags(names, patch) : await userMetadata.get(ctx, { userId });
        const text = facts([
          ["Public", JSON.stringify(shown.public)],
          ["Private", JSON.stringify(shown.private)],
        ]);
        await cli.result(shown, text);
      });
    });
}
