import { addressTaken } from "../../lib/errors.ts";

/** The drivers' codes for a violated unique index. */
const notUnique = new Set(["23505", "SQLITE_CONSTRAINT_UNIQUE"]);

/**
 * Translates the error of a write that gave a user an address which another transaction has just
 * given to another user. Returns other errors unchanged.
 */
export function orAddressTaken(error: unknown): unknown {
  // drizzle wraps the driver's error.
  const { code, constraint, message } = (error as { cause?: DriverError }).cause ?? (error as DriverError);
  // SQLite names the columns instead of the index.
  const isAddress = constraint === "users_app_id_email" || message?.endsWith("users.app_id, users.email") === true;
  if (!notUnique.has(code ?? "") || !isAddress) return error;
  return addressTaken(error);
}

type DriverError = { code?: string; constraint?: string; message?: string };
