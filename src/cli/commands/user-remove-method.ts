import type { Command } from "commander";
import { AppError } from "../../lib/errors.ts";
import { commandActor, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven, demandYes } from "../input/ask.ts";

type Flags = { evenLast?: boolean; dryRun?: boolean };

export function addUserRemoveMethod(user: Command, cli: Cli): void {
  const command = user
    .command("remove-method")
    .description("remove one of a user's sign-in methods, such as a lost phone's passkey, and end all their logins")
    .argument("[ID]", "User ID")
    .argument("[METHOD]", "id of the method: see authsvc user show")
    .option("--even-last", "remove even the last method; only a reset link or a provider then lets the user in")
    .option("--dry-run", "validate without removing anything");
  examples(command, [
    "authsvc user remove-method usr_01k… mth_01k… --yes",
    "authsvc user remove-method usr_01k… mth_01k… --dry-run --json",
  ]).action(async (id: string | undefined, method: string | undefined, flags: Flags) => remove(cli, id, method, flags));
}

async function remove(cli: Cli, givenId: string | undefined, givenMethod: string | undefined, flags: Flags) {
  const { evenLast = false, dryRun = false } = flags;
  const id = await askUnlessGiven(cli.io, givenId, { flag: "ID", question: "User ID" });
  const methodId = await askUnlessGiven(cli.io, givenMethod, { flag: "METHOD", question: "Method" });
  await cli.withApp(async (ctx) => {
    const methods = await import("../../credentials/methods/service.ts");
    const userAdministration = await import("../../users/administration.ts");
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
    if (!dryRun) {
      await demandYes(cli.io, cli.saidYes(), `Remove ${methodId} of ${id} and end all their logins?`);
      await attempt({ dryRun: false });
    }
    await cli.result(
      { id, methodId, removed: !dryRun, ...(dryRun ? { dryRun } : {}) },
      `${methodId} ${dryRun ? "would be" : "was"} removed.\n`,
    );
    if (dryRun) await cli.note("Dry run: nothing was changed.");
  });
}
