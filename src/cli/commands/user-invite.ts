import type { Command } from "commander";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven } from "../input/ask.ts";

type Flags = { app?: string; email?: string; name?: string; locale?: string; link?: boolean; dryRun?: boolean };

export function addUserInvite(user: Command, cli: Cli): void {
  const command = user
    .command("invite")
    .description(
      "create a user and mail a link to choose how to sign in; it works once, for 7 days, even if sign-up is closed, and replaces the previous one",
    )
    .option("--app <id>", "App ID")
    .option("--email <address>", "email address of the user")
    .option("--name <name>", "name of the user, if new")
    .option("--locale <tag>", "language of the mail, such as de (default: English)")
    .option("--link", "print the link instead of mailing it; using it does not verify the address")
    .option("--dry-run", "validate without creating anything");
  examples(command, [
    'authsvc user invite --app app_shop --email ada@example.com --name "Ada Lovelace"',
    "authsvc user invite --app app_shop --email bob@example.com --link --json | jq -r .link",
  ]).action(async (flags: Flags) => invite(cli, flags));
}

async function invite(cli: Cli, flags: Flags): Promise<void> {
  const { name = null, locale = null, link = false, dryRun = false } = flags;
  const appId = await askUnlessGiven(cli.io, flags.app, { flag: "--app", question: "App ID" });
  const address = await askUnlessGiven(cli.io, flags.email, {
    flag: "--email",
    question: "Email address of the user",
  });
  await cli.withApp(async (ctx) => {
    const invites = await import("../../credentials/mailed/invites.ts");
    const made = await namingFlags({ email: "--email", name: "--name" }, () =>
      invites.invite(ctx, { appId, email: address, name, locale }, { link, dryRun }, { actor: commandActor() }),
    );
    if (dryRun) {
      await cli.result({ ...made, dryRun }, "");
      await cli.note("Dry run: nobody was invited.");
      return;
    }
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
