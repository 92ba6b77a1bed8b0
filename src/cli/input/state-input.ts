import { dirname, resolve } from "node:path";
import type { StateFile } from "../../upkeep/desired-state/state-file.ts";
import { AppError } from "../../lib/errors.ts";
import type { Cli } from "../cli.ts";
import { readAll, readKeyFile } from "./ask.ts";

export const secretsDirAbout = "another folder that file: references may read from, besides the folder of FILE";

export const secretsToAbout =
  "hosts that an env: secret may be sent to, besides those of known providers, separated by commas";

/** Enough for thousands of applications. */
const maxBytes = 16_777_216;

/**
 * Reads the desired state with its secrets from a file or standard input (`-`). Throws
 * INVALID_CONFIG, INVALID_REQUEST.
 */
export async function readState(
  { io, ownPaths }: Pick<Cli, "io" | "ownPaths">,
  file: string | undefined,
  { secretsDir }: { secretsDir?: string | undefined },
): Promise<StateFile> {
  if (file === undefined) throw new AppError("INVALID_REQUEST", "FILE is missing (- is standard input)");
  const isInput = file === "-";
  const content = isInput ? await readAll(io, "FILE", maxBytes) : await readKeyFile(io, file, "FILE", maxBytes);
  const { readStateFile } = await import("../../upkeep/desired-state/state-file.ts");
  return readStateFile(content, {
    name: isInput ? "standard input" : file,
    folder: isInput ? io.cwd() : dirname(resolve(io.cwd(), file)),
    secretsDir: secretsDir === undefined ? undefined : resolve(io.cwd(), secretsDir),
    env: io.env,
    protectedPaths: await ownPaths(),
  });
}

/**
 * Runs `work`, and adds line and column to a service's refusal (`applications[0].redirectUris[1]:
 * …`).
 */
export async function namingLines<T>({ where }: StateFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !error.rejected?.field.startsWith("applications[")) throw error;
    const { field, rule } = error.rejected;
    const path = field
      .split(/[.[\]]+/u)
      .filter((step) => step !== "")
      .map((step) => (/^\d+$/u.test(step) ? Number(step) : step));
    const name = path.findLast((step) => typeof step === "string") ?? "";
    throw new AppError(error.code, `${where(path)}: ${name}: ${rule}`, { cause: error });
  }
}
