import { Option } from "commander";
import type { OrganizationDomain } from "../../../organizations/domains/service.ts";
import { domainJoins, type DomainJoin } from "../../../storage/column-types.ts";
import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { acting, organizationCommand, organizationFlags, organizationOf } from "../../input/organization-flags.ts";
import type { Screen } from "../../output/screen.ts";
import { facts } from "../../output/text.ts";

const flags = { ...organizationFlags, domain: "DOMAIN" };

type Flags = { app: string; join?: DomainJoin; proved?: boolean };

/** Domains are a group within the group of organizations. */
export function addOrganizationDomains(organization: CliCommand, cli: Cli): void {
  const group = organization
    .command("domain")
    .description("domains of an organization, by which people join")
    .examples(
      "authsvc organization domain add acme acme.com --app app_shop",
      "authsvc organization domain check acme acme.com --app app_shop",
    );
  for (const add of [addAdd, addCheck, addRemove]) add(group, cli);
}

function command(group: CliCommand, name: string, description: string): CliCommand {
  return organizationCommand(group, name, description).asks("[DOMAIN]", "domain", "Domain, such as acme.com");
}

function addAdd(group: CliCommand, cli: Cli): void {
  command(group, "add", "claim a domain, or change who joins by it")
    .addOption(
      new Option("--join <who>", "who joins by it: nobody, people who are asked, new accounts").choices(domainJoins),
    )
    .option("--proved", "vouch for it, without a record in DNS")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc organization domain add acme acme.com --app app_shop",
      "authsvc organization domain add acme acme.com --app app_shop --proved --join on --json",
    )
    .withApp(async (ctx, named: string, domain: string, { app, join, proved = false }: Flags) => {
      const domains = await import("../../../organizations/domains/service.ts");
      const found = await organizationOf(ctx, app, named);
      const wanted = { domain, isProved: proved, ...(join && { join }) };
      let claim = await namingFlags(flags, () => domains.add(ctx, found, wanted, acting(cli)));
      if (join !== undefined && claim.join !== join && !cli.isDryRun())
        claim = await domains.update(ctx, found, claim.domain, { join }, acting(cli));
      await cli.result(claim, textOf(claim, cli.screen()));
    });
}

function addCheck(group: CliCommand, cli: Cli): void {
  command(group, "check", "ask DNS about a domain now")
    .examples(
      "authsvc organization domain check acme acme.com --app app_shop",
      "authsvc organization domain check acme acme.com --app app_shop --json | jq -r .answer.result",
    )
    .withApp(async (ctx, named: string, domain: string, { app }: Flags) => {
      const domains = await import("../../../organizations/domains/service.ts");
      const claim = await domains.check(ctx, await organizationOf(ctx, app, named), domain, acting(cli));
      await cli.result(claim, textOf(claim, cli.screen()));
    });
}

function addRemove(group: CliCommand, cli: Cli): void {
  command(group, "remove", "remove a domain; members stay members")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc organization domain remove acme acme.com --app app_shop --dry-run",
      "authsvc organization domain remove acme acme.com --app app_shop --yes --json",
    )
    .withApp(async (ctx, named: string, domain: string, { app: appId }: Flags) => {
      const domains = await import("../../../organizations/domains/service.ts");
      const found = await organizationOf(ctx, appId, named);
      // Do not ask about a domain that is not there.
      await domains.remove(ctx, found, domain, { ...acting(cli), dryRun: true });
      await cli.demandYes(`Nobody joins by ${domain} any more, and another organization may get it. Remove it?`);
      if (!cli.isDryRun()) await domains.remove(ctx, found, domain, acting(cli));
      await cli.gone("removed", domain, { appId, organizationId: found.id, domain });
    });
}

function textOf({ domain, state, join, record, answer, worksAt }: OrganizationDomain, screen: Screen): string {
  const doubled =
    answer?.isDoubled === true ? ` (the record is at ${record?.name}.${domain}: remove the zone from its name)` : "";
  return facts([
    ["Domain", domain],
    ["State", state],
    ["Join", join],
    ["TXT record", record?.name],
    ["Value", record?.value],
    ["DNS", answer === null ? undefined : (answer.reason ?? answer.result) + doubled],
    ["Found", answer?.values.length === 0 ? undefined : answer?.values.join(", ")],
    ["Joining works from", worksAt === null ? undefined : screen.moment(worksAt)],
  ]);
}
