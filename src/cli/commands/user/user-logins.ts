import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

export function addUserLogins(user: CliCommand, cli: Cli): void {
  user
    .command("logins")
    .description("list where a user is signed in, newest first")
    .asksUser()
    .option("--all", "include logins that ended in the last 30 days")
    .examples("authsvc user logins usr_01k…", "authsvc user logins usr_01k… --all --json")
    .withApp(async (ctx, id: string, { all = false }: { all?: boolean }) => {
      const logins = await import("../../../sessions/login-administration.ts");
      const userAdministration = await import("../../../people/administration.ts");
      await userAdministration.get(ctx, id);
      await cli.list(
        await logins.list(ctx, id, { all }),
        {
          "LOGIN ID": (login) => login.id,
          WITH: ({ actor, provider, signedInWith }) => actor?.name ?? provider ?? signedInWith,
          CLIENT: ({ clientId, hosts }) => hosts?.join(", ") ?? clientId ?? "-",
          STARTED: ({ createdAt }, screen) => screen.time(createdAt),
          "LAST SEEN": ({ lastSeenAt }, screen) => screen.time(lastSeenAt),
          STATE: ({ endedAt, endReason, expiresAt }, screen) =>
            endedAt === null ? `ends ${screen.time(expiresAt)}` : `ended ${screen.time(endedAt)} (${endReason})`,
          ADDRESS: ({ ipAddress }) => ipAddress ?? "-",
        },
        "This user has no active logins.",
      );
    });
}
