import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";
import { consentTable } from "../output/user-text.ts";

export function addUserConsents(user: Command, cli: Cli): void {
  const command = user
    .command("consents")
    .description("list the OpenID Connect clients that a user gave consent to, oldest first")
    .argument("[ID]", "User ID");
  examples(command, ["authsvc user consents usr_01k…", "authsvc user consents usr_01k… --json"]).action(
    async (argument: string | undefined) => {
      const id = await askUnlessGiven(cli.io, argument, { flag: "ID", question: "User ID" });
      await cli.withApp(async (ctx) => {
        const consents = await import("../../applications/clients/consents.ts");
        const userAdministration = await import("../../users/administration.ts");
        await userAdministration.get(ctx, id);
        const list = await consents.list(ctx, id);
        await cli.result(list, list.length === 0 ? "" : consentTable(list, cli.screen()));
        if (list.length === 0) await cli.note("This user has not given consent to any client.");
      });
    },
  );
}
