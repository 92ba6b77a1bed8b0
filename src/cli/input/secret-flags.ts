import { Option, type Command } from "commander";
import { systemRandom } from "../../lib/random.ts";
import { newWebhookSecret } from "../../records/webhooks/signature.ts";
import type { Io } from "../io.ts";
import { readSecret, readSecretFile } from "./ask.ts";

export type SecretFlags = { secretStdin?: boolean; secretFile?: string };

/**
 * Adds `--secret-stdin` and `--secret-file`. No `--secret`: every user of the machine can read
 * arguments.
 */
export function addSecretFlags<C extends Command>(command: C, secret = "signing secret"): C {
  return command
    .addOption(new Option("--secret-stdin", `read the ${secret} from standard input`).conflicts("secretFile"))
    .option("--secret-file <file>", `read the ${secret} from a file`);
}

/** The secret that the operator chose; undefined if none was given. */
export async function givenSecret(
  io: Io,
  { secretStdin, secretFile }: SecretFlags,
): Promise<{ secret: string | undefined; flag: string }> {
  if (secretFile !== undefined)
    return { secret: await readSecretFile(io, secretFile, "--secret-file"), flag: "--secret-file" };
  const flag = "--secret-stdin";
  if (secretStdin !== true) return { secret: undefined, flag };
  return { secret: await readSecret(io, { flag, question: "Secret, 16 to 256 characters" }), flag };
}

/** The secret that the operator chose, or a new one, which must be shown. */
export async function chosenSecret(
  io: Io,
  flags: SecretFlags,
): Promise<{ secret: string; flag: string; isNew: boolean }> {
  const { secret, flag } = await givenSecret(io, flags);
  if (secret !== undefined) return { secret, flag, isNew: false };
  return { secret: newWebhookSecret(systemRandom), flag, isNew: true };
}
