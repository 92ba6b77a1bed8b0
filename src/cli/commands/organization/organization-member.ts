import { Option } from "commander";
import { AppError } from "../../../lib/errors.ts";
import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { acting, organizationCommand, organizationFlags, organizationOf } from "../../input/organization-flags.ts";
import { listOf, wholeNumberFrom } from "../../input/values.ts";
import { memberColumns } from "../../output/organization-text.ts";

type Flags = { app: string; roles?: string; providerExempt?: "on" | "off" };
type ListFlags = { app: string; limit: number; after?: string };

/** Members are a group within the group of organizations. */
export function addOrganizationMembers(organization: CliCommand, cli: Cli): void {
  const member = organization
    .command("member")
    .description("members of organizations")
    .examples(
      "authsvc organization member list acme --app app_shop",
      "authsvc organization member add acme ada@acme.example --app app_shop --roles admin",
    );
  addChange(member, cli, "add", "add a user to an organization, or replace the roles of a member");
  addChange(member, cli, "update", "replace the roles of a member, or exempt it from the provider");
  addRemove(member, cli);
  addList(member, cli);
}

function addChange(member: CliCommand, cli: Cli, name: "add" | "update", description: string): void {
  const roleWords = "owner, admin, member or roles of the application, separated by commas";
  const command = organizationCommand(member, name, description).asksUser("[USER]");
  (name === "add" ? command.asks("--roles <list>", roleWords) : command.option("--roles <list>", roleWords))
    .addOption(
      new Option(
        "--provider-exempt <switch>",
        "whether the member may do without the organization's provider, such as a helper from outside",
      ).choices(["on", "off"]),
    )
    .dryRun("validate without changing anything")
    .examples(
      `authsvc organization member ${name} acme usr_01k… --app app_shop --roles member`,
      `authsvc organization member ${name} acme ada@acme.example --app app_shop --roles admin,billing --json`,
    )
    .withApp(async (ctx, idOrSlug: string, userId: string, { app, roles, providerExempt }: Flags) => {
      if (roles === undefined && providerExempt === undefined)
        throw new AppError("INVALID_REQUEST", "Nothing to change: give --roles or --provider-exempt");
      const members = await import("../../../organizations/members.ts");
      const found = await organizationOf(ctx, app, idOrSlug);
      const given = roles === undefined ? (before: readonly string[]) => before : listOf(roles);
      const exempt = providerExempt && providerExempt === "on";
      const change = { userId, roles: given, adds: name === "add", providerExempt: exempt };
      const changed = await namingFlags(organizationFlags, () => members.put(ctx, found, change, acting(cli)));
      const verb = cli.isDryRun() ? "would have" : "has";
      await cli.result(changed, `${changed.email ?? changed.id} ${verb} the roles ${changed.roles.join(", ")}.\n`);
    });
}

function addRemove(member: CliCommand, cli: Cli): void {
  organizationCommand(member, "remove", "remove a member, who stays a user and joins again only if invited")
    .asksUser("[USER]")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc organization member remove acme usr_01k… --app app_shop",
      "authsvc organization member remove acme ada@acme.example --app app_shop --json",
    )
    .withApp(async (ctx, idOrSlug: string, userId: string, { app }: { app: string }) => {
      const members = await import("../../../organizations/members.ts");
      const found = await organizationOf(ctx, app, idOrSlug);
      await members.remove(ctx, found, userId, acting(cli));
      await cli.gone("removed", userId, { id: userId, organizationId: found.id });
    });
}

function addList(member: CliCommand, cli: Cli): void {
  organizationCommand(member, "list", "list the members of an organization, by User ID")
    .option("--limit <number>", "maximum number to list", wholeNumberFrom(1, 1000), 100)
    .option("--after <user>", "start after this User ID (the last one of the previous page)")
    .examples(
      "authsvc organization member list acme --app app_shop",
      "authsvc organization member list acme --app app_shop --json | jq -r '.[].email'",
    )
    .withApp(async (ctx, idOrSlug: string, { app, limit, after = "" }: ListFlags) => {
      const service = await import("../../../organizations/members.ts");
      const found = await organizationOf(ctx, app, idOrSlug);
      const { members, nextCursor } = await service.list(ctx, found, { after, limit });
      await cli.list(members, memberColumns, "It has no members.");
      if (nextCursor !== null) await cli.note(`There are more. To continue: --after ${nextCursor}`);
    });
}
