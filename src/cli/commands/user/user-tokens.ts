import { Option } from "commander";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

type Flags = { all?: boolean; end?: string; endAll?: boolean };

export function addUserTokens(user: CliCommand, cli: Cli): void {
  user
    .command("tokens")
    .description("list or end a user's personal access tokens, newest first")
    .asksUser()
    .option("--all", "include tokens that ended in the last 90 days")
    .option("--end <token>", "end this token, for good")
    .addOption(new Option("--end-all", "end every token, for good").conflicts("end"))
    .dryRun("validate without changing anything")
    .examples("authsvc user tokens usr_01k…", "authsvc user tokens usr_01k… --end-all --json")
    .withApp(async (ctx, userId: string, { all = false, end: id, endAll = false }: Flags) => {
      const tokens = await import("../../../credentials/personal/service.ts");
      const userAdministration = await import("../../../people/administration.ts");
      const { tokenNotFound } = await import("../../../credentials/personal/rules.ts");
      await userAdministration.get(ctx, userId);
      if (id === undefined && !endAll)
        return await cli.list(
          (await tokens.list(ctx, userId, { all })).map(tokens.answerFor),
          {
            TOKEN: (token) => token.id,
            NAME: ({ name }) => name,
            ALLOWS: ({ scopes, hosts }) => [...scopes, ...hosts].join(" "),
            FOR: ({ resource }) => resource ?? "-",
            MADE: ({ createdAt }, screen) => screen.time(createdAt),
            "LAST USED": ({ lastUsedAt }, screen) => (lastUsedAt === null ? "never" : screen.time(lastUsedAt)),
            STATE: ({ endedAt, endReason, expiresAt }, screen) =>
              endedAt === null ? `ends ${screen.time(expiresAt)}` : `ended ${screen.time(endedAt)} (${endReason})`,
          },
          "This user has no personal access tokens.",
        );
      const dryRun = cli.isDryRun();
      const because = { reason: "operator", by: { actor: commandActor() } } as const;
      const ended = await tokens.end(ctx, { userId, id }, because, { dryRun });
      if (ended === 0 && id !== undefined) throw tokenNotFound();
      const text = `${ended} ${ended === 1 ? "token" : "tokens"} ${dryRun ? "would be ended" : "ended"}.\n`;
      await cli.result({ id: userId, ended }, text);
    });
}
