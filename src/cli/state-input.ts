import { dirname, resolve } from "node:path";
import type { StateFile } from "../config/state-file.ts";
import { AppError } from "../lib/errors.ts";
import { readAll, readKeyFile } from "./ask.ts";
import type { Io } from "./io.ts";

/** Thousands of applications. */
const mostCharacters = 16_777_216;

/** The desired state in the file that an argument names, or on standard input (`-`), with its secrets. Throws INVALID_CONFIG, INVALID_REQUEST. */
export async function readState(io: Io, file: string | undefined): Promise<StateFile> {
  if (file === undefined) throw new AppError("INVALID_REQUEST", "FILE is missing (- is standard input)");
  const isInput = file === "-";
  const content = isInput ? await readAll(io, "FILE", mostCharacters) : await readKeyFile(io, file, "FILE");
  const { readStateFile } = await import("../config/state-file.ts");
  return readStateFile(content, {
    name: isInput ? "standard input" : file,
    folder: isInput ? io.cwd() : dirname(resolve(io.cwd(), file)),
    env: io.env,
  });
}

/** Runs `work`; what a service refuses is named by line and column (`applications[0].redirectUris[1]: …`). */
export async function namingLines<T>({ where }: StateFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const said = error.code === "CONFLICT" ? error.message : error.details;
    const [, place, rule = ""] = /^(applications\[[^:]*): (.*)$/su.exec(said) ?? [];
    if (place === undefined) throw error;
    const path = place
      .split(/[.[\]]+/u)
      .filter((step) => step !== "")
      .map((step) => (/^\d+$/u.test(step) ? Number(step) : step));
    const name = path.findLast((step) => typeof step === "string") ?? "";
    throw new AppError(error.code, `${where(path)}: ${name}: ${rule}`, { cause: error });
  }
}
