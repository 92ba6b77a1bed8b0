import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";

type Flags = {
  app: string;
  email: string;
  name?: string;
  locale?: string;
  link?: boolean;
  overrideRules?: boolean;
  withdraw?: string;
};

export function addUserInvite(user: CliCommand, cli: Cli): void {
  user
    .command("invite")
    .description(
      "create a user and mail a link to choose how to sign in; it works once, for 7 days, even if sign-up is closed, and replaces the previous one",
    )
    .asks("--app <id>", "App ID", undefined, "withdraw")
    .asks("--email <address>", "email address of the user", undefined, "withdraw")
    .option("--name <name>", "name of the user, if new")
    .option("--locale <tag>", "language of the mail, such as de (default: English)")
    .option("--link", "print the link instead of mailing it; using it does not verify the address")
    .option("--override-rules", "invite even if the sign-up rules refuse the address; this is audited")
    .option("--withdraw <id>", "void the open invitation of this user (ID or email address); the account stays")
    .dryRun("validate without changing anything")
    .examples(
      'authsvc user invite --app app_shop --email ada@example.com --name "Ada Lovelace"',
      "authsvc user invite --app app_shop --email bob@example.com --link --json | jq -r .link",
    )
    .withApp(async (ctx, flags: Flags) => {
      const { app: appId, email: address, name = null, locale = null, link = false } = flags;
      const dryRun = cli.isDryRun();
      const invites = await import("../../../credentials/mailed/invites.ts");
      if (flags.withdraw !== undefined) {
        const { userIdOf } = await import("../../input/users.ts");
        const id = await userIdOf(ctx, flags.withdraw, "--withdraw", flags.app);
        const { userId, email } = await invites.withdraw(ctx, id, { dryRun }, { actor: commandActor() });
        const text = `The invitation of ${email ?? userId} ${dryRun ? "would be" : "was"} withdrawn.\n`;
        return await cli.result({ userId, email, withdrawn: !dryRun }, text);
      }
      const made = await namingFlags({ email: "--email", name: "--name" }, () =>
        invites.invite(
          ctx,
          { appId, email: address, name, locale },
          { link, dryRun, overridesRules: flags.overrideRules ?? false },
          { actor: commandActor() },
        ),
      );
      if (dryRun) return await cli.result(made, "");
      const { email, userId, expiresAt } = made;
      await cli.result(made, made.link === null ? `${email} was invited as ${userId}.\n` : `${made.link}\n`);
      if (cli.isJson()) return;
      await cli.note(
        made.link === null
          ? `The link works once, until ${expiresAt}.`
          : `It works once, until ${expiresAt}. Anybody who has it can set up the account of ${email}.`,
      );
    });
}
