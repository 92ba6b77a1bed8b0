import type { Command } from "commander";
import { askUnlessGiven } from "../ask.ts";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { methodLines, userText } from "../user-text.ts";

export function addUserShow(user: Command, cli: Cli): void {
  const command = user.command("show").description("show one user").argument("[ID]", "User ID");
  examples(command, ["authsvc user show usr_01k…", "authsvc user show usr_01k… --json | jq .metadata"]).action(
    async (given: string | undefined) => {
      const id = await askUnlessGiven(cli.io, given, { flag: "ID", question: "User ID" });
      await cli.withApp(async ({ userAdministration, methods }) => {
        const found = await userAdministration.get(id);
        const itsMethods = await methods.answersFor(id, ["profile", "email"]);
        await cli.result(
          { ...found, methods: itsMethods },
          userText(found, cli.screen()) + methodLines(itsMethods, cli.screen()),
        );
      });
    },
  );
}
