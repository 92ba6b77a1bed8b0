import type { AppError } from "../lib/errors.ts";
import { readAtMost } from "../lib/read-file.ts";
import { invalidConfig } from "./settings.ts";

const reasons: Record<string, string> = {
  ENOENT: "does not exist",
  EACCES: "cannot be read: permission denied",
  EISDIR: "is a folder, not a file",
};

/**
 * Reads a UTF-8 file of at most `most` bytes that a setting names. `origin` is the setting as its
 * author wrote it. Throws INVALID_CONFIG.
 */
export function readText(file: string, origin: string, most: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readAtMost(file, most));
  } catch (cause) {
    throw unreadable(file, origin, cause);
  }
}

/** Wraps a read error as INVALID_CONFIG. */
export function unreadable(file: string, origin: string, cause: unknown): AppError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const explanation = code === "EFBIG" ? (cause as Error).message : reasons[code];
  const reason = cause instanceof TypeError ? "is not UTF-8 text" : (explanation ?? `cannot be read (${code})`);
  return invalidConfig(`${origin}: the file ${file} ${reason}`, cause);
}
