import { Option } from "commander";
import { AppError } from "../../../lib/errors.ts";
import {
  factsFrom,
  factsOn,
  flagOf,
  flagWithValue,
  labelsOf,
  profileFacts,
  type FactOn,
} from "../../../lib/profile-facts.ts";
import { listInWords } from "../../../lib/text.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { userText } from "../../output/user-text.ts";
import { userIdOf } from "../../input/users.ts";

type Flags = { [Fact in FactOn<"operator">]?: string } & {
  email?: string;
  verified?: boolean;
  unverified?: boolean;
};

const facts = factsOn("operator");
const flags = factsFrom(facts, flagOf);

export function addUserUpdate(user: CliCommand, cli: Cli): void {
  const changes = listInWords(["address", ...labelsOf(facts)], "or");
  const command = user
    .command("update")
    .description(`change a user's ${changes}; the previous address gets a mail, and logins stay`)
    .asksUser()
    .option("--email <address>", "new email address, unverified unless --verified is given")
    .addOption(new Option("--verified", "mark the address as verified").conflicts("unverified"))
    .option("--unverified", "mark the address as not verified");
  for (const fact of facts) command.option(flagWithValue(fact), `${profileFacts[fact].flag.about}; "" for none`);
  command
    .dryRun("validate without changing anything")
    .examples(
      "authsvc user update usr_01k… --email ada@example.org --verified",
      'authsvc user update usr_01k… --name "Ada Lovelace" --dry-run --json',
    )
    .action(async (given: string, { email, verified, unverified, ...profile }: Flags) => {
      const emailVerified = verified === true ? true : unverified === true ? false : undefined;
      const change = { email, emailVerified, ...factsFrom(facts, (fact) => cleared(profile[fact])) };
      if (Object.values(change).every((value) => value === undefined)) {
        const all = listInWords(["--email", "--verified", "--unverified", ...Object.values(flags)], "or");
        throw new AppError("INVALID_REQUEST", `Nothing to change: add ${all}.`);
      }
      const names = { email: "--email", emailVerified: "--verified", ...flags };
      await cli.withApp(async (ctx) => {
        const id = await userIdOf(ctx, given);
        const userAdministration = await import("../../../people/administration.ts");
        const changed = await namingFlags(names, () =>
          userAdministration.update(ctx, id, change, { dryRun: cli.isDryRun() }, { actor: commandActor() }),
        );
        await cli.result(changed, cli.isDryRun() ? `${id} would be changed.\n` : userText(changed, cli.screen()));
      });
    });
}

function cleared(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}
