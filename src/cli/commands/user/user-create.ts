import { Option } from "commander";
import { factsFrom, factsOn, flagOf, flagWithValue, profileFacts, type FactOn } from "../../../lib/profile-facts.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { addFieldFlag, fieldNames, profileFrom } from "../../input/field-flags.ts";
import { readSecret, readSecretFile } from "../../input/ask.ts";
import { facts } from "../../output/text.ts";
import { userFacts } from "../../output/user-text.ts";

type Flags = { [Fact in FactOn<"operator">]?: string } & {
  app: string;
  email: string;
  verified?: boolean;
  overrideRules?: boolean;
  passwordStdin?: boolean;
  passwordFile?: string;
  field?: Record<string, string>;
};

const profileFlags = factsOn("operator").filter((fact) => profileFacts[fact].flag.atCreation);

export function addUserCreate(user: CliCommand, cli: Cli): void {
  const command = user
    .command("create")
    .description(
      "create a user, who signs in with the given password, or with a provider or password reset that verifies the address",
    )
    .asks("--app <id>", "App ID")
    .asks("--email <address>", "email address of the user");
  for (const fact of profileFlags) command.option(flagWithValue(fact), profileFacts[fact].flag.about);
  addFieldFlag(command);
  command
    .option("--verified", "mark the address as verified")
    .addOption(new Option("--password-stdin", "read a password from standard input").conflicts("passwordFile"))
    .option("--password-file <file>", "read a password from a file")
    .option("--override-rules", "create the user even if the sign-up rules refuse the address; this is audited")
    .dryRun("validate without creating anything", "nothing was created")
    .examples(
      'authsvc user create --app app_shop --email ada@example.com --name "Ada Lovelace"',
      "authsvc user create --app app_shop --email bob@example.com --verified --password-stdin --json < password.txt",
    )
    .action(async (flags: Flags) => {
      const { io } = cli;
      const flag = flags.passwordFile === undefined ? "--password-stdin" : "--password-file";
      const password =
        flags.passwordFile === undefined
          ? flags.passwordStdin
            ? await readSecret(io, { flag, question: "Password of the user" })
            : undefined
          : await readSecretFile(io, flags.passwordFile, flag);
      const { app: appId, email, verified: emailVerified = false } = flags;
      const profile = factsFrom(profileFlags, (fact) => flags[fact]);
      const names = factsFrom(profileFlags, flagOf);
      const dryRun = cli.isDryRun();
      await cli.withApp(async (ctx) => {
        const newUsers = await import("../../../people/new-users.ts");
        const { field } = flags;
        const named = { email: "--email", ...names, password: flag, ...fieldNames(field) };
        const created = await namingFlags(named, async () => {
          const values = field && { profile: await profileFrom(ctx, appId, field) };
          const input = { appId, email, emailVerified, ...profile, password, ...values };
          return await newUsers.create(
            ctx,
            input,
            { dryRun, overridesRules: flags.overrideRules ?? false },
            { actor: commandActor() },
          );
        });
        const { id: _, ...planned } = created;
        const shown = userFacts(created, cli.screen());
        await cli.result(dryRun ? planned : created, facts(dryRun ? shown.slice(1) : shown));
      });
    });
}
