import { AppError, invalidRequest } from "../../lib/errors.ts";
import { isGroupName } from "../../lib/names.ts";
import type { By } from "../../records/audit/audit.ts";

/** `dryRun`: checks everything and changes nothing. */
export type GroupCall = By & { dryRun?: boolean };

export const maxGroupsOfApplication = 1000;
export const maxGroupsOfUser = 64;

/** Throws INVALID_REQUEST naming the field. */
export function checkedGroupName(name: string, field = "name"): string {
  if (!isGroupName(name))
    throw invalidRequest(
      field,
      "1 to 64 letters, digits, '.', '_', ':', '@', '+' or '-', starting with a letter or digit",
    );
  return name;
}

export function groupNotFound(): AppError {
  return new AppError("GROUP_NOT_FOUND", "The application has no group with this name.");
}
