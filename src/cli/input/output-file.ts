import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { AppError } from "../../lib/errors.ts";
import { outputProblem } from "../../lib/output-path.ts";
import type { Io } from "../io.ts";

/** The absolute path of a file that a command writes; `name` is who named it. Its folder exists. */
export function outputFile(io: Pick<Io, "cwd">, typed: string, name: string): string {
  const path = outputPath(io, typed, name);
  if (!existsSync(dirname(path)))
    throw new AppError("INVALID_REQUEST", `${name}: the folder of ${typed} does not exist`);
  return path;
}

/** The same for a file whose folder is made with it. */
export function outputPath({ cwd }: Pick<Io, "cwd">, typed: string, name: string): string {
  const path = resolve(cwd(), typed);
  const problem = typed === "-" ? "is standard output for db backup only" : outputProblem(path);
  if (problem !== undefined)
    throw new AppError("INVALID_REQUEST", `${name}: ${typed} ${problem}; name a file to write`);
  return path;
}
