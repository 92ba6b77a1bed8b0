import { Option } from "commander";
import type { ProviderAnswer } from "../../../applications/providers/provider-clients.ts";
import { AppError } from "../../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../../cli.ts";
import type { CliCommand } from "../../command.ts";
import { askUnlessGiven, readKeyFile, readSecret, readSecretFile } from "../../input/ask.ts";
import { facts } from "../../output/text.ts";

type Flags = {
  clientId: string;
  clientSecretStdin?: boolean;
  clientSecretFile?: string;
  issuer?: string;
  authorizationUrl?: string;
  tokenUrl?: string;
  userinfoUrl?: string;
  jwksUrl?: string;
  teamId?: string;
  keyId?: string;
  privateKeyFile?: string;
  trustsEmail?: "on" | "off";
  trustsSecondFactor?: string;
  emailClaim?: string;
  keepIdentities?: boolean;
};

const flagOfField = {
  name: "PROVIDER",
  clientId: "--client-id",
  teamId: "--team-id",
  keyId: "--key-id",
  issuer: "--issuer",
  authorizationUrl: "--authorization-url",
  tokenUrl: "--token-url",
  userinfoUrl: "--userinfo-url",
  jwksUrl: "--jwks-url",
  trustsEmail: "--trusts-email",
  trustsSecondFactor: "--trusts-second-factor",
  emailClaim: "--email-claim",
};

export function addProviderSet(provider: CliCommand, cli: Cli): void {
  provider
    .command("set")
    .description(
      "configure a provider: google, github, microsoft, apple, discord, facebook, or any OpenID Connect issuer under a name you choose",
    )
    .asks("[ID]", "App ID")
    .asks("[PROVIDER]", "provider")
    .asks("--client-id <id>", "client ID from the provider", "Client id")
    .option("--client-secret-stdin", "read the client secret from standard input")
    .option("--client-secret-file <file>", "read the client secret from a file")
    .option("--issuer <url>", "OpenID Connect issuer, for a PROVIDER name you choose")
    .option("--authorization-url <url>", "override the provider's URL (GitHub Enterprise, tests)")
    .option("--token-url <url>", "override the provider's URL")
    .option("--userinfo-url <url>", "override the provider's URL")
    .option("--jwks-url <url>", "override the provider's URL")
    .option("--team-id <id>", "Apple: team ID")
    .option("--key-id <id>", "Apple: ID of the private key")
    .option("--private-key-file <file>", "Apple: the .p8 key, from which client secrets are generated")
    .addOption(
      new Option(
        "--trusts-email <switch>",
        "only with --issuer: whether to trust its verified addresses (default: on)",
      ).choices(["on", "off"]),
    )
    .option(
      "--trusts-second-factor <claim=value>",
      "only with --issuer: the claim of its ID tokens that indicates two factors, such as amr=mfa",
    )
    .option(
      "--email-claim <claim>",
      "the claim that contains the address, such as preferred_username; the address then counts as unverified (default: email)",
    )
    .option("--keep-identities", "the new endpoints serve the same accounts: existing links keep working")
    .dryRun("validate without changing anything")
    .examples(
      "authsvc app provider set app_shop google --client-id 123.apps.googleusercontent.com --client-secret-file google.txt",
      "authsvc app provider set app_shop corp --issuer https://id.corp.example --client-id shop --client-secret-stdin < secret.txt",
    )
    .action(async (appId: string, name: string, flags: Flags) => {
      const { secret, flag } = await secretFrom(cli, name, flags);
      const { clientId, issuer, authorizationUrl, tokenUrl, userinfoUrl, jwksUrl, teamId, keyId } = flags;
      const { trustsSecondFactor, emailClaim } = flags;
      const endpoints = { issuer, authorizationUrl, tokenUrl, userinfoUrl, jwksUrl };
      const trustsEmail = flags.trustsEmail === undefined ? undefined : flags.trustsEmail === "on";
      const claims = { trustsEmail, trustsSecondFactor, emailClaim };
      const input = { name, clientId, secret, teamId, keyId, ...endpoints, ...claims };
      const { keepIdentities = false } = flags;
      await cli.withApp(async (ctx) => {
        const providers = await import("../../../applications/providers/provider-clients.ts");
        const set = await namingFlags({ ...flagOfField, secret: flag }, () =>
          providers.set(ctx, appId, input, commandActor(), { dryRun: cli.isDryRun(), keepIdentities }),
        );
        const tried = await providers.tryIssuer(ctx, { ...input, name: set.name });
        await cli.result({ ...set, issuerProblem: tried?.problem ?? null }, providerFacts(set));
        if (tried?.problem === null) await cli.note(`${tried.issuer} answers: its endpoints and keys were read.`);
        else if (tried)
          await cli.note(
            `Nobody can sign in with ${set.name} yet. Checking ${tried.issuer} failed: ${tried.problem}. Check again: authsvc doctor`,
          );
        if (set.keptIdentities !== undefined) await cli.note(`Linked identities kept: ${set.keptIdentities}.`);
        if (!cli.isDryRun()) await cli.note(`Register this redirect URI with the provider: ${set.callbackUrl}`);
      });
    });
}

async function secretFrom(
  cli: Cli,
  name: string,
  { clientSecretFile, privateKeyFile, clientSecretStdin }: Flags,
): Promise<{ secret: string; flag: string }> {
  const sources = [clientSecretFile, privateKeyFile, clientSecretStdin].filter((flag) => flag !== undefined);
  if (sources.length > 1) {
    throw new AppError(
      "INVALID_REQUEST",
      "--client-secret-stdin, --client-secret-file and --private-key-file cannot be combined",
    );
  }
  if (privateKeyFile !== undefined) {
    const flag = "--private-key-file";
    return { secret: await readKeyFile(cli.io, privateKeyFile, flag), flag };
  }
  if (clientSecretFile !== undefined) {
    const flag = "--client-secret-file";
    return { secret: await readSecretFile(cli.io, clientSecretFile, flag), flag };
  }
  if (clientSecretStdin !== true && name.toLowerCase() === "apple") {
    const keyFlag = "--private-key-file";
    const file = await askUnlessGiven(cli.io, undefined, { flag: keyFlag, question: "File with the .p8 key" });
    return { secret: await readKeyFile(cli.io, file, keyFlag), flag: keyFlag };
  }
  const flag = "--client-secret-stdin";
  if (clientSecretStdin !== true && !cli.io.stdin.isTTY)
    throw new AppError("INVALID_REQUEST", `${flag} or --client-secret-file is missing`);
  return { secret: await readSecret(cli.io, { flag, question: "Client secret" }), flag };
}

/** An application's provider, for people. */
function providerFacts({
  name,
  displayName,
  clientId,
  enabled,
  callbackUrl,
  endpoints,
  trustsEmail,
  trustsSecondFactor,
  emailClaim,
}: ProviderAnswer): string {
  const { authorizationUrl, issuer } = endpoints;
  return facts([
    ["Provider", `${displayName} (${name})`],
    ["Client ID", clientId],
    ["Enabled", enabled ? "yes" : "no"],
    ["Redirect URI", callbackUrl],
    ["Trusts email", trustsEmail ? "yes" : "no"],
    ["Trusts second factor", trustsSecondFactor === null ? "no" : `if ${trustsSecondFactor}`],
    ...(emailClaim === "email" ? [] : [["Address", `the claim ${emailClaim}`] as [string, string]]),
    ...(issuer === undefined ? [] : [["Issuer", issuer] as [string, string]]),
    ...(authorizationUrl === undefined ? [] : [["Authorization", authorizationUrl] as [string, string]]),
  ]);
}
