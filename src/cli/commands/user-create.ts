import { Option, type Command } from "commander";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven, readSecret, readSecretFile } from "../input/ask.ts";
import { facts } from "../output/text.ts";
import { userFacts } from "../output/user-text.ts";

type Flags = {
  app?: string;
  email?: string;
  name?: string;
  verified?: boolean;
  passwordStdin?: boolean;
  passwordFile?: string;
  dryRun?: boolean;
};

export function addUserCreate(user: Command, cli: Cli): void {
  const command = user
    .command("create")
    .description(
      "create a user, who signs in with the given password, or with a provider or password reset that verifies the address",
    )
    .option("--app <id>", "App ID")
    .option("--email <address>", "email address of the user")
    .option("--name <name>", "name of the user")
    .option("--verified", "mark the address as verified")
    .addOption(new Option("--password-stdin", "read a password from standard input").conflicts("passwordFile"))
    .option("--password-file <file>", "read a password from a file")
    .option("--dry-run", "validate without creating anything");
  examples(command, [
    'authsvc user create --app app_shop --email ada@example.com --name "Ada Lovelace"',
    "authsvc user create --app app_shop --email bob@example.com --verified --password-stdin --json < password.txt",
  ]).action(async (flags: Flags) => create(cli, flags));
}

async function create(cli: Cli, flags: Flags): Promise<void> {
  const { io } = cli;
  const appId = await askUnlessGiven(io, flags.app, { flag: "--app", question: "App ID" });
  const email = await askUnlessGiven(io, flags.email, { flag: "--email", question: "Email address of the user" });
  const flag = flags.passwordFile === undefined ? "--password-stdin" : "--password-file";
  const password =
    flags.passwordFile === undefined
      ? flags.passwordStdin
        ? await readSecret(io, { flag, question: "Password of the user" })
        : undefined
      : await readSecretFile(io, flags.passwordFile, flag);
  const { verified: emailVerified = false, name = null, dryRun = false } = flags;
  await cli.withApp(async (ctx) => {
    const newUsers = await import("../../users/new-users.ts");
    const created = await namingFlags({ email: "--email", name: "--name", password: flag }, () =>
      newUsers.create(ctx, { appId, email, emailVerified, name, password }, { dryRun }, { actor: commandActor() }),
    );
    if (dryRun) {
      const { id: _, ...planned } = created;
      await cli.result({ ...planned, dryRun }, facts(userFacts(created, cli.screen()).slice(1)));
      await cli.note("Dry run: nothing was created.");
    } else await cli.result(created, facts(userFacts(created, cli.screen())));
  });
}
