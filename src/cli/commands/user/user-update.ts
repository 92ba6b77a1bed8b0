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
import { addFieldFlag, fieldNames, profileFrom } from "../../input/field-flags.ts";
import { userIdOf } from "../../input/users.ts";

type Flags = { [Fact in FactOn<"operator">]?: string } & {
  email?: string;
  verified?: boolean;
  unverified?: boolean;
  pictureFile?: string;
  field?: Record<string, string>;
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
  addFieldFlag(command, '; "" for none');
  command
    .addOption(
      new Option(
        "--picture-file <file>",
        'picture to upload: PNG, JPEG or WebP, at most 256 KiB; "" for none',
      ).conflicts("picture"),
    )
    .dryRun("validate without changing anything")
    .examples(
      "authsvc user update usr_01k… --email ada@example.org --verified",
      'authsvc user update usr_01k… --name "Ada Lovelace" --dry-run --json',
    )
    .action(async (given: string, { email, verified, unverified, pictureFile, field, ...profile }: Flags) => {
      const emailVerified = verified === true ? true : unverified === true ? false : undefined;
      const change = { email, emailVerified, ...factsFrom(facts, (fact) => cleared(profile[fact])) };
      const { pictureChangeFrom } = await import("../../input/picture-file.ts");
      const picture = await pictureChangeFrom(cli.io, "--picture-file", pictureFile);
      if (!picture && !field && Object.values(change).every((value) => value === undefined)) {
        const names = ["--email", "--verified", "--unverified", ...Object.values(flags), "--picture-file", "--field"];
        const all = listInWords(names, "or");
        throw new AppError("INVALID_REQUEST", `Nothing to change: add ${all}.`);
      }
      const names = { email: "--email", emailVerified: "--verified", ...flags };
      await cli.withApp(async (ctx) => {
        const id = await userIdOf(ctx, given);
        const userAdministration = await import("../../../people/administration.ts");
        const [options, by] = [{ dryRun: cli.isDryRun() }, { actor: commandActor() }];
        const updated = await namingFlags({ ...names, ...fieldNames(field) }, async () => {
          const profile = field && (await profileFrom(ctx, (await userAdministration.get(ctx, id)).appId, field));
          return await userAdministration.update(ctx, id, { ...change, profile }, options, by);
        });
        if (picture) await (await import("../../../people/pictures.ts")).change(ctx, id, picture, by, options);
        const changed = picture ? await userAdministration.get(ctx, id) : updated;
        await cli.result(changed, cli.isDryRun() ? `${id} would be changed.\n` : userText(changed, cli.screen()));
      });
    });
}

function cleared(text: string | undefined): string | null | undefined {
  return text === "" ? null : text;
}
