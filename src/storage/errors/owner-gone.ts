import { invalidAppId, userNotFound, type AppError } from "../../lib/errors.ts";

/** The drivers' codes for a violated foreign key. */
const missingReference = new Set(["23503", "SQLITE_CONSTRAINT_FOREIGNKEY"]);

/**
 * Translates the error of a write whose user or application was deleted during the call; returns
 * other errors unchanged. SQLite does not name the violated key.
 */
export function orOwnerGone(error: unknown): unknown {
  // drizzle wraps the driver's error.
  const { code, constraint } = (error as { cause?: DriverError }).cause ?? (error as DriverError);
  if (!missingReference.has(code ?? "")) return error;
  const isApplication = constraint?.endsWith("_applications_id_fk") === true;
  const gone: AppError = isApplication ? invalidAppId() : userNotFound();
  gone.cause = error;
  return gone;
}

type DriverError = { code?: string; constraint?: string };
