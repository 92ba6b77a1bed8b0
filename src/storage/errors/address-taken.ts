import { AppError } from "../../lib/errors.ts";

/** The drivers' codes for a violated unique index. */
const notUnique = new Set(["23505", "SQLITE_CONSTRAINT_UNIQUE"]);

/**
 * Translates the error of a write that gave a user the address of another one of this moment;
 * returns other errors unchanged.
 */
export function orAddressTaken(error: unknown): unknown {
  // drizzle wraps the driver's error.
  const { code, constraint, message } = (error as { cause?: DriverError }).cause ?? (error as DriverError);
  // SQLite names the columns instead of the index.
  const isAddress = constraint === "users_app_id_email" || message?.endsWith("users.app_id, users.email") === true;
  if (!notUnique.has(code ?? "") || !isAddress) return error;
  const taken = new AppError("CONFLICT", "A user of this application already has this address.");
  taken.cause = error;
  return taken;
}

type DriverError = { code?: string; constraint?: string; message?: string };
