/** The file in which `audit follow` keeps how far it is. */
import { existsSync } from "node:fs";
import { writePrivately } from "../../lib/durable-files.ts";
import { AppError } from "../../lib/errors.ts";
import { maxTextBytes, readAtMost } from "../../lib/read-file.ts";
import type { AuditCursor } from "../../storage/column-types.ts";

/** Undefined if there is no such file yet. Throws CONFLICT if it is not one of these. */
export function readCursor(file: string): AuditCursor | undefined {
  if (!existsSync(file)) return undefined;
  let cursor: unknown;
  try {
    cursor = JSON.parse(readAtMost(file, maxTextBytes).toString("utf8"));
  } catch (cause) {
    throw unusable(file, "cannot be read", cause);
  }
  if (!isCursor(cursor)) throw unusable(file, "is not a cursor");
  return cursor;
}

/** Replaces the file as a whole: a crash leaves the old one or the new one. */
export function writeCursor(file: string, cursor: AuditCursor): void {
  writePrivately(file, `${JSON.stringify(cursor)}\n`, "replace");
}

export function unusable(file: string, why: string, cause?: unknown): AppError {
  const rest = "Remove it to begin with the oldest entry, or give another file. Nothing was changed.";
  return new AppError("CONFLICT", `The cursor file ${file} ${why}. ${rest}`, { cause });
}

function isCursor(value: unknown): value is AuditCursor {
  if (typeof value !== "object" || value === null) return false;
  const { origin, after, rest } = value as Record<string, unknown>;
  return typeof origin === "string" && (after === null || typeof after === "string") && isRest(rest);
}

function isRest(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return false;
  const { until, at, id } = value as Record<string, unknown>;
  return typeof until === "string" && Number.isSafeInteger(at) && typeof id === "string";
}
