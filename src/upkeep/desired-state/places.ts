import { fileKeyOf } from "../../applications/setting.ts";
import { applicationRows } from "../../applications/settings.ts";
import { AppError, invalidRequest } from "../../lib/errors.ts";

/** The file's names of fields that a service names differently. */
const fieldNames: Record<string, string> = {
  secret: "clientSecret",
  apiKey: "value",
  ...Object.fromEntries(
    applicationRows
      .filter(([field]) => field.startsWith("settings."))
      .map(([field, row]) => [field.slice("settings.".length), fileKeyOf(field, row)]),
  ),
};

/** Runs `work`, and renames a refused field to its place in the file. */
export async function naming<T>(
  place: string,
  work: () => Promise<T>,
  names: Record<string, string> = fieldNames,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "CONFLICT") throw conflict(place, error.message, error);
    if (!error.rejected) throw error;
    const { field, rule } = error.rejected;
    const [, name = "", index = ""] = /^(?:settings\.)?([a-zA-Z]*)(.*)$/su.exec(field) ?? [];
    throw invalidRequest(`${place}.${names[name] ?? name}${index}`, rule, error);
  }
}

export function conflict(field: string, rule: string, cause?: unknown): AppError {
  return new AppError("CONFLICT", `${field}: ${rule}`, { rejected: { field, rule }, cause });
}
