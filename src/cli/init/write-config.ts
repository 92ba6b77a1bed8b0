import { linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { AppError } from "../../lib/errors.ts";

/**
 * Writes a new configuration beside `path`, readable by its owner only, runs `work` with it, and puts it in its place when that has succeeded.
 * An existing file is replaced with `force` only. Throws CONFLICT, SERVER_ERROR.
 */
export async function withNewConfig<T>(
  path: string,
  { text, force }: { text: string; force: boolean },
  work: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    throw new AppError("SERVER_ERROR", `The file ${path} cannot be written.`, { cause });
  }
  try {
    const result = await work(temporary);
    if (force) renameSync(temporary, path);
    // Unlike rename, link refuses to replace what somebody has put there meanwhile.
    else linkSync(temporary, path);
    return result;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") throw configExists(path);
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

export function configExists(path: string): AppError {
  return new AppError("CONFLICT", `${path} exists already; --force replaces it.`);
}
