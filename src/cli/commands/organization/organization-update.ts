import { AppError } from "../../../lib/errors.ts";
import type { SecondFactorPolicy } from "../../../storage/column-types.ts";
import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import {
  acting,
  maxMembersFrom,
  organizationCommand,
  organizationFlags,
  organizationOf,
} from "../../input/organization-flags.ts";
import { secondFactorOption } from "../../input/second-factor-flags.ts";
import { jsonOf } from "../../input/values.ts";
import { factorNoteOf } from "../../../upkeep/waiting-notes.ts";
import { organizationText } from "../../output/organization-text.ts";

type Flags = {
  app: string;
  name?: string;
  slug?: string;
  secondFactor?: SecondFactorPolicy;
  maxMembers?: number | null;
  publicMetadata?: string;
};

export function addOrganizationUpdate(organization: CliCommand, cli: Cli): void {
  organizationCommand(organization, "update", "change the given fields of an organization")
    .option("--name <name>", "name, shown in mails")
    .option("--slug <slug>", "2 to 48 of a-z, 0-9 and -; can be changed three times")
    .addOption(secondFactorOption("required: its members need a second factor"))
    .option("--max-members <number>", "maximum number of members, or none", maxMembersFrom)
    .option("--public-metadata <json>", "a JSON merge patch of the data about it")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc organization update acme --app app_shop --max-members 50",
      "authsvc organization update acme --app app_shop --second-factor required --json",
    )
    .withApp(async (ctx, idOrSlug: string, { app, publicMetadata, ...flags }: Flags) => {
      const { name, slug, secondFactor, maxMembers } = flags;
      const metadata = jsonOf("--public-metadata", publicMetadata);
      const change = { name, slug, secondFactor, maxMembers, publicMetadata: metadata };
      if (Object.values(change).every((value) => value === undefined))
        throw new AppError("INVALID_REQUEST", "Nothing to change: give at least one option, such as --name");
      const service = await import("../../../organizations/service.ts");
      const found = await organizationOf(ctx, app, idOrSlug);
      const changed = await namingFlags(organizationFlags, () => service.update(ctx, found, change, acting(cli)));
      await cli.result(changed, organizationText(changed, cli.screen()));
      if (secondFactor === "required") await cli.note(await factorNoteOf(ctx, { organizationId: changed.id }));
    });
}
