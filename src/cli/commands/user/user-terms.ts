import type { Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { userIdOf } from "../../input/users.ts";

export function addUserTerms(user: CliCommand, cli: Cli): void {
  user
    .command("terms")
    .description("list the versions of the application's terms that a user answered, oldest first")
    .asksUser()
    .examples("authsvc user terms usr_01k…", "authsvc user terms grace@example.com --json")
    .withApp(async (ctx, given: string) => {
      const terms = await import("../../../users/terms.ts");
      const userAdministration = await import("../../../people/administration.ts");
      const id = await userIdOf(ctx, given);
      await userAdministration.get(ctx, id);
      await cli.list(
        await terms.list(ctx.storage.reader, id),
        {
          VERSION: ({ version }) => version,
          ANSWER: ({ accepted }) => (accepted ? "accepted" : "declined"),
          AT: ({ at }, screen) => screen.time(at),
          FROM: ({ ipAddress }) => ipAddress ?? "-",
          URL: ({ url }) => url,
        },
        "This user has not answered any terms.",
      );
    });
}
