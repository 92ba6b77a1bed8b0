import type { By } from "../audit/audit.ts";
import { AppError, invalidRequest } from "../lib/errors.ts";

/** `dryRun`: checks everything, changes nothing. */
export type GroupCall = By & { dryRun?: boolean };

export const maxGroupsOfApplication = 1000;
export const maxGroupsOfUser = 64;

/** No space and no comma: names are joined by them. */
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,63}$/u;

/** Throws INVALID_REQUEST naming the field. */
export function checkedGroupName(name: string, field = "name"): string {
  if (!nameForm.test(name))
    throw invalidRequest(
      `${field}: 1 to 64 letters, digits, '.', '_', ':', '@', '+' or '-', starting with a letter or digit`,
    );
  return name;
}

export function groupNotFound(): AppError {
  return new AppError("GROUP_NOT_FOUND", "The application has no group with this name.");
}
