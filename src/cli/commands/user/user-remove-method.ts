import { AppError } from "../../../lib/errors.ts";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

type Flags = { evenLast?: boolean };

export function addUserRemoveMethod(user: CliCommand, cli: Cli): void {
  user
    .command("remove-method")
    .description("remove one of a user's sign-in methods, such as a lost phone's passkey, and end all their logins")
    .asksUser()
    .asks("[METHOD]", "id of the method: see authsvc user show", "Method")
    .option("--even-last", "remove even the last method; only a reset link or a provider then lets the user in")
    .dryRun("validate without removing anything")
    .examples(
      "authsvc user remove-method usr_01k… mth_01k… --yes",
      "authsvc user remove-method usr_01k… mth_01k… --dry-run --json",
    )
    .withApp(async (ctx, id: string, methodId: string, flags: Flags) => {
      const { evenLast = false } = flags;
      const methods = await import("../../../credentials/methods/service.ts");
      const userAdministration = await import("../../../people/administration.ts");
      await userAdministration.get(ctx, id);
      if (!(await methods.list(ctx.storage.reader, id)).some((method) => method.id === methodId)) {
        const details = `To find it: authsvc user show ${id}`;
        throw new AppError("METHOD_NOT_FOUND", "The user has no such method.", { details });
      }
      const attempt = async (only: { dryRun: boolean }): Promise<void> =>
        await methods
          .remove(ctx, id, methodId, { actor: commandActor() }, { evenLast, ...only })
          .catch((cause: unknown) => {
            // Only refused if the user could not sign in any more.
            if (!(cause instanceof AppError) || cause.code !== "INVALID_REQUEST") throw cause;
            const details = "To remove it anyway, add --even-last.";
            throw new AppError("CONFLICT", "The user could not sign in without this method.", { details, cause });
          });
      // Do not ask about a method that cannot be removed.
      await attempt({ dryRun: true });
      await cli.demandYes(`Remove ${methodId} of ${id} and end all their logins?`);
      if (!cli.isDryRun()) await attempt({ dryRun: false });
      await cli.gone("removed", methodId, { id, methodId });
    });
}
