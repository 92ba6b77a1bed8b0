import type { Cli } from "../cli.ts";
import type { CliCommand } from "../command.ts";

export function addUserConsents(user: CliCommand, cli: Cli): void {
  user
    .command("consents")
    .description("list the OpenID Connect clients that a user gave consent to, oldest first")
    .asks("[ID]", "User ID")
    .examples("authsvc user consents usr_01k…", "authsvc user consents usr_01k… --json")
    .withApp(async (ctx, id: string) => {
      const consents = await import("../../applications/clients/consents.ts");
      const userAdministration = await import("../../users/administration.ts");
      await userAdministration.get(ctx, id);
      await cli.list(
        await consents.list(ctx, id),
        {
          "CLIENT ID": ({ clientId }) => clientId,
          NAME: ({ name }) => name,
          SCOPES: ({ scopes }) => scopes.join(" "),
          ALLOWED: ({ createdAt }, screen) => screen.time(createdAt),
          "LAST CHANGE": ({ updatedAt }, screen) => screen.time(updatedAt),
        },
        "This user has not given consent to any client.",
      );
    });
}
