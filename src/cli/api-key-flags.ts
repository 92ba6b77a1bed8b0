import { Option } from "commander";
import type { Command } from "commander";
import { readSecret, readSecretFile } from "./ask.ts";
import type { Io } from "./io.ts";
import { facts } from "./text.ts";

export type ApiKeyFlags = { apiKeyStdin?: boolean; apiKeyFile?: string };

/** Adds `--api-key-stdin` and `--api-key-file`. There is no `--api-key`: arguments are seen by every user of the machine. */
export function addApiKeyFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--api-key-stdin", "read the API key to use from standard input, instead of making one").conflicts(
        "apiKeyFile",
      ),
    )
    .option("--api-key-file <file>", "read the API key to use from a file");
}

/** A new key, for people. */
export function createdKeyText({ id, appId, apiKey }: { id: string; appId: string; apiKey: string }): string {
  return facts([
    ["Key ID", id],
    ["App ID", appId],
    ["API key", apiKey],
  ]);
}

/** The key that the operator chose, or `undefined` to have one made. `flag` is where it came from. */
export async function chosenApiKey(
  io: Io,
  { apiKeyStdin, apiKeyFile }: ApiKeyFlags,
): Promise<{ apiKey: string | undefined; flag: string }> {
  if (apiKeyFile !== undefined)
    return { apiKey: await readSecretFile(io, apiKeyFile, "--api-key-file"), flag: "--api-key-file" };
  const flag = "--api-key-stdin";
  return { apiKey: apiKeyStdin ? await readSecret(io, { flag, question: "API key" }) : undefined, flag };
}
