import { Option } from "commander";
import { commandActor, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

type Flags = { end?: string; endAll?: boolean };

export function addUserTrustedBrowsers(user: CliCommand, cli: Cli): void {
  user
    .command("trusted-browsers")
    .description("list the browsers in which a user is not asked for the second factor, or ask there again")
    .asksUser()
    .option("--end <browser>", "ask in this browser again")
    .addOption(new Option("--end-all", "ask in every browser again").conflicts("end"))
    .dryRun("validate without changing anything")
    .examples("authsvc user trusted-browsers usr_01k…", "authsvc user trusted-browsers usr_01k… --end-all --json")
    .withApp(async (ctx, id: string, { end, endAll = false }: Flags) => {
      const trustedBrowsers = await import("../../../factors/trusted-browsers.ts");
      const userAdministration = await import("../../../people/administration.ts");
      await userAdministration.get(ctx, id);
      if (end === undefined && !endAll)
        return await cli.list(
          await trustedBrowsers.list(ctx, id),
          {
            BROWSER: (browser) => browser.id,
            "USER AGENT": ({ userAgent }) => userAgent ?? "-",
            TRUSTED: ({ createdAt }, screen) => screen.time(createdAt),
            UNTIL: ({ expiresAt }, screen) => screen.time(expiresAt),
          },
          "This user trusts no browser.",
        );
      const dryRun = cli.isDryRun();
      const ended = await trustedBrowsers.end(ctx, id, end ?? "all", { actor: commandActor() }, { dryRun });
      const text = `${ended} ${ended === 1 ? "browser" : "browsers"} ${dryRun ? "would be" : "will be"} asked again.\n`;
      await cli.result({ id, ended }, text);
    });
}
