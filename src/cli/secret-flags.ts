import { Option } from "commander";
import type { Command } from "commander";
import { AppError } from "../lib/errors.ts";
import { readSecret, readSecretFile } from "./ask.ts";
import type { Io } from "./io.ts";

export type SecretFlags = { secretStdin?: boolean; secretFile?: string };

/** Adds `--secret-stdin` and `--secret-file`. There is no `--secret`: arguments are seen by every user of the machine. */
export function addSecretFlags(command: Command): Command {
  return command
    .addOption(new Option("--secret-stdin", "read the secret that signs from standard input").conflicts("secretFile"))
    .option("--secret-file <file>", "read the secret that signs from a file");
}

/** The secret that a command needs, and the flag that it came from; a person at a terminal is asked. */
export async function neededSecret(
  io: Io,
  { secretStdin, secretFile }: SecretFlags,
): Promise<{ secret: string; flag: string }> {
  if (secretFile !== undefined)
    return { secret: await readSecretFile(io, secretFile, "--secret-file"), flag: "--secret-file" };
  const flag = "--secret-stdin";
  if (secretStdin !== true && !io.stdin.isTTY)
    throw new AppError("INVALID_REQUEST", `${flag} or --secret-file is missing`);
  return { secret: await readSecret(io, { flag, question: "Secret, 16 to 256 characters" }), flag };
}
