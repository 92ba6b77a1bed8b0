import { Option, type Command } from "commander";
import type { Io } from "../io.ts";
import { facts } from "../output/text.ts";
import { readSecret, readSecretFile } from "./ask.ts";

export type ApiKeyFlags = { apiKeyStdin?: boolean; apiKeyFile?: string };

/**
 * Adds `--api-key-stdin` and `--api-key-file`. No `--api-key`: every user of the machine can read
 * arguments.
 */
export function addApiKeyFlags<C extends Command>(command: C): C {
  return command
    .addOption(
      new Option("--api-key-stdin", "read the API key from standard input instead of generating one").conflicts(
        "apiKeyFile",
      ),
    )
    .option("--api-key-file <file>", "read the API key from a file");
}

/** A new key, for people. */
export function createdKeyText(created: { id: string; appId: string; label: string | null; apiKey: string }): string {
  const { id, appId, label, apiKey } = created;
  return facts([
    ["Key ID", id],
    ["App ID", appId],
    ...(label === null ? [] : [["Label", label] as [string, string]]),
    ["API key", apiKey],
  ]);
}

/** The key that the operator chose; `undefined` to create one. `flag` names its source. */
export async function chosenApiKey(
  io: Io,
  { apiKeyStdin, apiKeyFile }: ApiKeyFlags,
): Promise<{ apiKey: string | undefined; flag: string }> {
  if (apiKeyFile !== undefined)
    return { apiKey: await readSecretFile(io, apiKeyFile, "--api-key-file"), flag: "--api-key-file" };
  const flag = "--api-key-stdin";
  return { apiKey: apiKeyStdin ? await readSecret(io, { flag, question: "API key" }) : undefined, flag };
}
