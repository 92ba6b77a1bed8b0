import { rmSync, writeFileSync } from "node:fs";
import { placeDurably, replaceDurably } from "../../lib/durable-files.ts";
import { AppError } from "../../lib/errors.ts";

/**
 * Writes a new configuration beside `path`, readable only by its owner, runs `work` with it, and
 * renames it if that succeeds. Replaces an existing file only with `force`. Throws CONFLICT,
 * SERVER_ERROR.
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
    if (force) replaceDurably(temporary, path);
    // Does not replace a file that was created meanwhile.
    else placeDurably(temporary, path);
    return result;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") throw configExists(path);
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

export function configExists(path: string): AppError {
  return new AppError("CONFLICT", `${path} already exists. Use --force to replace it.`);
}
