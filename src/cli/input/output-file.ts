import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { AppError } from "../../lib/errors.ts";
import { outputProblem } from "../../lib/output-path.ts";
import type { Cli } from "../cli.ts";
import type { Io } from "../io.ts";

/** The files of the data folder, and those beside them: `authsvc.db-wal`, `master.key.lock`. */
const ownNames = /^(?:authsvc\.db|master\.key)/u;

/**
 * The absolute path of a file that a command writes; `name`: its argument or flag. The folder must
 * exist.
 */
export function outputFile(io: Pick<Io, "cwd">, typed: string, name: string): string {
  const path = outputPath(io, typed, name);
  if (!existsSync(dirname(path)))
    throw new AppError("INVALID_REQUEST", `${name}: the folder of ${typed} does not exist`);
  return path;
}

/** The same for a file whose folder is created too. */
export function outputPath({ cwd }: Pick<Io, "cwd">, typed: string, name: string): string {
  const path = resolve(cwd(), typed);
  const problem = typed === "-" ? "is standard output for db backup only" : outputProblem(path);
  if (problem !== undefined)
    throw new AppError("INVALID_REQUEST", `${name}: ${typed} ${problem}; name a file to write`);
  return path;
}

/** Throws if a command would write over a file of the service's own, such as the master key. */
export async function refuseOwnFile(cli: Pick<Cli, "ownPaths">, path: string, name: string): Promise<void> {
  const [dataDir = "", ...others] = await cli.ownPaths();
  const real = (file: string): string => (existsSync(file) ? realpathSync(file) : file);
  const file = existsSync(path) ? realpathSync(path) : join(real(dirname(path)), basename(path));
  const isInData = dirname(file) === real(dataDir) && ownNames.test(basename(file));
  if (isInData || others.some((other) => real(other) === file))
    throw new AppError("INVALID_REQUEST", `${name}: ${path} is a file of the service itself; name another file`);
}
