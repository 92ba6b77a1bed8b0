import { Option, type Command } from "commander";
import { AppError } from "../../lib/errors.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { askUnlessGiven, readKeyFile, readSecret, readSecretFile } from "../input/ask.ts";
import { providerFacts } from "../output/provider-text.ts";

type Flags = {
  clientId?: string;
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
  keepIdentities?: boolean;
  dryRun?: boolean;
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
};

export function addProviderSet(provider: Command, cli: Cli): void {
  const command = provider
    .command("set")
    .description(
      "configure a provider: google, github, microsoft, apple, discord, facebook, or any OpenID Connect issuer under a name you choose",
    )
    .argument("[ID]", "App ID")
    .argument("[PROVIDER]", "provider")
    .option("--client-id <id>", "client ID from the provider")
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
    .option("--keep-identities", "the new endpoints serve the same accounts: existing links keep working")
    .option("--dry-run", "validate without changing anything");
  examples(command, [
    "authsvc app provider set app_shop google --client-id 123.apps.googleusercontent.com --client-secret-file google.txt",
    "authsvc app provider set app_shop corp --issuer https://id.corp.example --client-id shop --client-secret-stdin < secret.txt",
  ]).action(async (id: string | undefined, name: string | undefined, flags: Flags) => set(cli, id, name, flags));
}

async function set(cli: Cli, givenId: string | undefined, givenName: string | undefined, flags: Flags): Promise<void> {
  const appId = await askUnlessGiven(cli.io, givenId, { flag: "ID", question: "App ID" });
  const name = await askUnlessGiven(cli.io, givenName, { flag: "PROVIDER", question: "Provider" });
  const clientId = await askUnlessGiven(cli.io, flags.clientId, { flag: "--client-id", question: "Client id" });
  const { secret, flag } = await secretFrom(cli, name, flags);
  const { issuer, authorizationUrl, tokenUrl, userinfoUrl, jwksUrl, teamId, keyId } = flags;
  const endpoints = { issuer, authorizationUrl, tokenUrl, userinfoUrl, jwksUrl };
  const trustsEmail = flags.trustsEmail === undefined ? undefined : flags.trustsEmail === "on";
  const input = { name, clientId, secret, teamId, keyId, ...endpoints, trustsEmail };
  const { dryRun = false, keepIdentities = false } = flags;
  await cli.withApp(async (ctx) => {
    const providers = await import("../../applications/providers/provider-clients.ts");
    const set = await namingFlags({ ...flagOfField, secret: flag }, () =>
      providers.set(ctx, appId, input, commandActor(), { dryRun, keepIdentities }),
    );
    await cli.result(dryRun ? { ...set, dryRun } : set, providerFacts(set));
    if (set.keptIdentities !== undefined) await cli.note(`Linked identities that stay: ${set.keptIdentities}.`);
    if (dryRun) await cli.note("Dry run: nothing was changed.");
    else await cli.note(`Register this redirect URI with the provider: ${set.callbackUrl}`);
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
