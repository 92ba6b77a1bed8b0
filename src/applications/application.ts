import { AppError } from "../lib/errors.ts";
import type { AppSettings, AuthMethods, Branding } from "../storage/column-types.ts";

/** A client application. Instants are epoch milliseconds. */
export type Application = {
  id: string;
  name: string;
  /** The host name whose passkeys are shared, if the service's host belongs to it. */
  domain: string | null;
  redirectUris: string[];
  authMethods: AuthMethods;
  branding: Branding;
  settings: AppSettings;
  createdAt: number;
  updatedAt: number;
};

export function applicationNotFound(): AppError {
  return new AppError("APP_NOT_FOUND", "There is no application with this id.");
}

export function idExists(): AppError {
  return new AppError("CONFLICT", "An application with this id already exists.");
}

export function idWasDeleted(): AppError {
  return new AppError("CONFLICT", "This id belonged to a deleted application. Choose another id.");
}
