import { AppError } from "../../../lib/errors.ts";
import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { askUnlessGiven } from "../../input/ask.ts";
import { identityLines, methodLines, userText } from "../../output/user-text.ts";

type Flags = { email?: string; app?: string };

export function addUserShow(user: CliCommand, cli: Cli): void {
  user
    .command("show")
    .description("show one user, by ID or by email address")
    .argument("[ID]", "User ID or email address")
    .option("--email <address>", "email address of the user, instead of the ID")
    .option("--app <id>", "with an email address: only in this application")
    .examples("authsvc user show usr_01k… --json | jq .metadata", "authsvc user show --email grace@example.com")
    .action(async (argument: string | undefined, { email: flag, app }: Flags) => {
      if (flag !== undefined && argument !== undefined)
        throw new AppError("INVALID_REQUEST", "Use an ID or --email, not both.");
      const email = flag ?? (argument?.includes("@") === true ? argument : undefined);
      if (app !== undefined && email === undefined)
        throw new AppError("INVALID_REQUEST", "--app is only for an email address.");
      const wanted = { flag: "ID", question: "User ID", otherwise: "--email ADDRESS" };
      const idArgument = email === undefined ? await askUnlessGiven(cli.io, argument, wanted) : "";
      await cli.withApp(async (ctx) => {
        const methods = await import("../../../credentials/methods/service.ts");
        const userAdministration = await import("../../../people/administration.ts");
        const userListings = await import("../../../users/listing.ts");
        const id =
          email === undefined
            ? idArgument
            : await namingFlags({ email: flag === undefined ? "ID" : "--email" }, () =>
                userListings.idByEmail(ctx, email, app),
              );
        const user = await userAdministration.get(ctx, id);
        const itsMethods = await methods.answersFor(ctx, id, ["profile", "email"]);
        const { identitiesFor } = await import("../../../companies/identities.ts");
        const organizationIdentities = await identitiesFor(ctx, id);
        await cli.result(
          { ...user, methods: itsMethods, ...(organizationIdentities.length > 0 && { organizationIdentities }) },
          userText(user, cli.screen()) +
            methodLines(itsMethods, cli.screen()) +
            identityLines(organizationIdentities, cli.screen()),
        );
      });
    });
}
