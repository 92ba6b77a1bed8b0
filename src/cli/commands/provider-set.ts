import type { Command } from "commander";
import { AppError } from "../../lib/errors.ts";
import { askUnlessGiven, readKeyFile, readSecret, readSecretFile } from "../ask.ts";
import { commandActor, namingFlags, type Cli } from "../cli.ts";
import { examples } from "../examples.ts";
import { providerFacts } from "../provider-text.ts";

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
};

export function addProviderSet(provider: Command, cli: Cli): void {
  const command = provider
    .command("set")
    .description(
      "let people sign in with a provider: google, github, microsoft, apple, discord, facebook, or any OpenID Connect issuer under a name of yours",
    )
    .argument("[ID]", "App ID")
    .argument("[PROVIDER]", "provider")
    .option("--client-id <id>", "client id that the provider gave you")
    .option("--client-secret-stdin", "read the client secret from standard input")
    .option("--client-secret-file <file>", "read the client secret from a file")
    .option("--issuer <url>", "OpenID Connect issuer; makes any other PROVIDER name possible")
    .option("--authorization-url <url>", "instead of the provider's own (GitHub Enterprise, tests)")
    .option("--token-url <url>", "instead of the provider's own")
    .option("--userinfo-url <url>", "instead of the provider's own")
    .option("--jwks-url <url>", "instead of the provider's own")
    .option("--team-id <id>", "Apple: team id")
    .option("--key-id <id>", "Apple: id of the private key")
    .option("--private-key-file <file>", "Apple: the .p8 key; client secrets are made from it")
    .option("--dry-run", "check everything, change nothing");
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
  const input = { name, clientId, secret, teamId, keyId, issuer, authorizationUrl, tokenUrl, userinfoUrl, jwksUrl };
  await cli.withApp(async ({ providers }) => {
    const set = await namingFlags({ ...flagOfField, secret: flag }, () =>
      providers.set(appId, input, commandActor(), { dryRun: flags.dryRun ?? false }),
    );
    await cli.result(flags.dryRun ? { ...set, dryRun: true } : set, providerFacts(set));
    if (flags.dryRun) await cli.note("Nothing was changed: this was a dry run.");
    else await cli.note(`Register this redirect address with the provider: ${set.callbackUrl}`);
  });
}

async function secretFrom(
  cli: Cli,
  name: string,
  { clientSecretFile, privateKeyFile, clientSecretStdin }: Flags,
): Promise<{ secret: string; flag: string }> {
  const given = [clientSecretFile, privateKeyFile, clientSecretStdin].filter((flag) => flag !== undefined);
  if (given.length > 1) {
    throw new AppError(
      "INVALID_REQUEST",
      "--client-secret-stdin, --client-secret-file and --private-key-file exclude each other",
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
