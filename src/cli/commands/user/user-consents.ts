import { consentedText } from "../../../applications/resources/consented.ts";
import { AppError } from "../../../lib/errors.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addUserConsents(user: CliCommand, cli: Cli): void {
  user
    .command("consents")
    .description("list the OpenID Connect clients that a user gave consent to, oldest first, or end the access of one")
    .asksUser()
    .option("--end <client>", "remove the consent, and end the user's logins of this client")
    .dryRun("validate without changing anything")
    .examples("authsvc user consents usr_01k…", "authsvc user consents usr_01k… --end cli_01k… --json")
    .withApp(async (ctx, id: string, { end }: { end?: string }) => {
      const consents = await import("../../../applications/clients/consents.ts");
      const userAdministration = await import("../../../people/administration.ts");
      await userAdministration.get(ctx, id);
      if (end !== undefined) {
        const grants = await import("../../../sign-in/grants.ts");
        const dryRun = cli.isDryRun();
        if (!(await grants.remove(ctx, id, end, { actor: commandActor() }, { dryRun })))
          throw new AppError("CLIENT_NOT_FOUND", "This client has no access to the user.");
        const text = `The access of ${end} ${dryRun ? "would end" : "ended"}.\n`;
        return await cli.result({ id, clientId: end }, text);
      }
      await cli.list(
        await consents.list(ctx, id),
        {
          "CLIENT ID": ({ clientId }) => clientId,
          NAME: ({ name }) => name,
          SCOPES: consentedText,
          ALLOWED: ({ createdAt }, screen) => screen.time(createdAt),
          "LAST CHANGE": ({ updatedAt }, screen) => screen.time(updatedAt),
        },
        "This user has not given consent to any client.",
      );
    });
}
