import { AppError, invalidRequest } from "../../lib/errors.ts";

/** The file's names of fields that a service names differently. */
const fieldNames: Record<string, string> = {
  secret: "clientSecret",
  apiKey: "value",
  singleSignOnSeconds: "singleSignOn",
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
    if (!(error instanceof AppError) || (error.code !== "INVALID_REQUEST" && error.code !== "CONFLICT")) throw error;
    if (error.code === "CONFLICT") throw conflict(`${place}: ${error.message}`, error);
    const [, field = "", rest = ""] = /^(?:settings\.)?([a-zA-Z]*)(.*)$/su.exec(error.details) ?? [];
    throw invalidRequest(`${place}.${names[field] ?? field}${rest}`, error);
  }
}

export function conflict(message: string, cause?: unknown): AppError {
  return new AppError("CONFLICT", message, { cause });
}
