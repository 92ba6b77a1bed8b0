import { Option } from "commander";
import { AppError } from "../../../lib/errors.ts";
import type { Providers } from "../../../companies/service.ts";
import type { RelinkAnswer } from "../../../companies/relinks.ts";
import { namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { readSecret, readSecretFile } from "../../input/ask.ts";
import { acting, organizationCommand, organizationOf } from "../../input/organization-flags.ts";
import { wholeNumberFrom } from "../../input/values.ts";
import { providerText, relinkColumns } from "../../output/organization-text.ts";
import { exitCodes } from "../../exit-codes.ts";

type Flags = {
  app: string;
  issuer: string;
  clientId: string;
  clientSecretStdin?: boolean;
  clientSecretFile?: string;
  fixedAddresses?: "on" | "off";
  trustsSecondFactor?: string;
  sessionSeconds?: number;
  required?: "on" | "off";
};

const flagOfField = {
  issuer: "--issuer",
  clientId: "--client-id",
  clientSecret: "--client-secret-file",
  trustsSecondFactor: "--trusts-second-factor",
  sessionSeconds: "--session-seconds",
};

/** The provider is a group within the group of organizations. */
export function addOrganizationProvider(organization: CliCommand, cli: Cli): void {
  const group = organization
    .command("provider")
    .description("the OpenID Connect provider of an organization, by which its people sign in")
    .examples(
      "authsvc organization provider set acme --app app_shop --issuer https://acme.okta.com --client-id 0oa1 --client-secret-file okta.txt",
      "authsvc organization provider test acme --app app_shop",
    );
  for (const add of [addSet, addTest, addConfirm, addRelink, addRemove]) add(group, cli);
}

function addSet(group: CliCommand, cli: Cli): void {
  const onOff = ["on", "off"] as const;
  organizationCommand(group, "set", "set the provider; another issuer ends all sign-ins by the earlier one")
    .asks("--issuer <url>", "its issuer", "Issuer")
    .asks("--client-id <id>", "client ID at the provider", "Client ID")
    .option("--client-secret-stdin", "read the client secret from standard input")
    .option("--client-secret-file <file>", "read the client secret from a file")
    .addOption(
      new Option(
        "--fixed-addresses <switch>",
        "whether people cannot choose their address there, so that a missing email_verified counts as true",
      ).choices(onOff),
    )
    .option("--trusts-second-factor <claim=value>", "claim that says that somebody used two factors, such as amr=mfa")
    .option(
      "--session-seconds <number>",
      "how long a sign-in by it lasts (default: 43200)",
      wholeNumberFrom(300, 604_800),
    )
    .addOption(new Option("--required <switch>", "whether members must sign in by it").choices(onOff))
    .dryRun("validate without changing anything")
    .examples(
      "authsvc organization provider set acme --app app_shop --issuer https://acme.okta.com --client-id 0oa1 --client-secret-file okta.txt",
      "authsvc organization provider set acme --app app_shop --issuer https://acme.okta.com --client-id 0oa1 --required on --json",
    )
    .withApp(async (ctx, idOrSlug: string, { app, required, fixedAddresses, ...flags }: Flags) => {
      const provider = await import("../../../companies/service.ts");
      const found = await organizationOf(ctx, app, idOrSlug);
      const { issuer, clientId, trustsSecondFactor, sessionSeconds } = flags;
      const clientSecret = await secretFrom(cli, flags, await provider.show(ctx, found, acting(cli)));
      const input = {
        issuer,
        clientId,
        clientSecret,
        sessionSeconds,
        trustsSecondFactor: trustsSecondFactor === "" ? null : trustsSecondFactor,
        fixedAddresses: fixedAddresses && fixedAddresses === "on",
      };
      const demands = { required: required && required === "on" };
      const set = await namingFlags(flagOfField, () => provider.set(ctx, found, input, acting(cli), demands));
      await cli.result(set, providerText(set, cli.screen()));
    });
}

/** Nothing if the stored one can be kept. */
async function secretFrom(
  cli: Cli,
  { issuer, clientSecretStdin, clientSecretFile }: Pick<Flags, "issuer" | "clientSecretStdin" | "clientSecretFile">,
  { provider, waiting }: Providers,
): Promise<string | undefined> {
  const flag = "--client-secret-file";
  if (clientSecretStdin && clientSecretFile !== undefined)
    throw new AppError("INVALID_REQUEST", `--client-secret-stdin and ${flag} cannot be combined`);
  if (clientSecretFile !== undefined) return await readSecretFile(cli.io, clientSecretFile, flag);
  const isKept = [provider, waiting].some((each) => each?.issuer === issuer.trim());
  if (isKept && !clientSecretStdin) return undefined;
  if (!clientSecretStdin && !cli.io.stdin.isTTY)
    throw new AppError("INVALID_REQUEST", `--client-secret-stdin or ${flag} is missing`);
  return await readSecret(cli.io, { flag: "--client-secret-stdin", question: "Client secret" });
}

function addTest(group: CliCommand, cli: Cli): void {
  organizationCommand(group, "test", "ask the issuer for its metadata and keys now")
    .examples(
      "authsvc organization provider test acme --app app_shop",
      "authsvc organization provider test acme --app app_shop --json | jq -r .problem",
    )
    .withApp(async (ctx, idOrSlug: string, { app }: { app: string }) => {
      const provider = await import("../../../companies/service.ts");
      const tested = await provider.test(ctx, await organizationOf(ctx, app, idOrSlug), acting(cli));
      const { issuer, problem } = tested;
      await cli.result(
        tested,
        problem === null ? `${issuer} answers.\n` : `${issuer} cannot be used. It must be ${problem}.\n`,
      );
      if (problem !== null) cli.endWith(exitCodes.failed);
    });
}

function addConfirm(group: CliCommand, cli: Cli): void {
  organizationCommand(group, "confirm", "confirm a provider that waits: by a set-up link, or another issuer")
    .asks("--issuer <url>", "the issuer that waits", "Issuer")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc organization provider confirm acme --app app_shop --issuer https://acme.okta.com",
      "authsvc organization provider confirm acme --app app_shop --issuer https://acme.okta.com --json",
    )
    .withApp(async (ctx, idOrSlug: string, { app, issuer }: { app: string; issuer: string }) => {
      const provider = await import("../../../companies/service.ts");
      const found = await organizationOf(ctx, app, idOrSlug);
      const confirmed = await provider.confirm(ctx, found, { issuer }, acting(cli));
      await cli.result(confirmed, providerText(confirmed, cli.screen()));
    });
}

function addRelink(group: CliCommand, cli: Cli): void {
  organizationCommand(group, "relink", "let a member link another identity for 14 days, after an own proof")
    .asksUser("[USER]")
    .option("--agree", "agree to a relink of an owner, an admin, or somebody who was not seen for 30 days")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc organization provider relink acme usr_01k… --app app_shop",
      "authsvc organization provider relink acme ada@acme.example --app app_shop --agree --json",
    )
    .withApp(async (ctx, idOrSlug: string, userId: string, { app, agree }: { app: string; agree?: boolean }) => {
      const relinks = await import("../../../companies/relinks.ts");
      const found = await organizationOf(ctx, app, idOrSlug);
      const opened: RelinkAnswer[] = agree
        ? [await relinks.agreeToRelink(ctx, found, { userId }, acting(cli))]
        : await relinks.openRelink(ctx, found, { userIds: [userId] }, acting(cli));
      await cli.list(opened, relinkColumns, "Nobody.");
    });
}

function addRemove(group: CliCommand, cli: Cli): void {
  organizationCommand(group, "remove", "remove the provider; sign-ins by it end, and members stay members")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc organization provider remove acme --app app_shop --dry-run",
      "authsvc organization provider remove acme --app app_shop --yes --json",
    )
    .withApp(async (ctx, idOrSlug: string, { app: appId }: { app: string }) => {
      const provider = await import("../../../companies/service.ts");
      const found = await organizationOf(ctx, appId, idOrSlug);
      const { withoutMethod } = await provider.remove(ctx, found, {}, { ...acting(cli), dryRun: true });
      const people = withoutMethod === 1 ? "1 person has" : `${withoutMethod} people have`;
      await cli.demandYes(`Sign-ins by it end now, and ${people} no method of their own. Remove the provider?`);
      if (!cli.isDryRun()) await provider.remove(ctx, found, {}, acting(cli));
      await cli.gone("removed", "The provider", { appId, organizationId: found.id, withoutMethod });
    });
}
