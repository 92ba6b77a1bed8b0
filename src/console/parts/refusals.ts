import { statusOf } from "../../http/error-answers.ts";
import { AppError, type ErrorCode } from "../../lib/errors.ts";

/** What a page says beside its form, and its status. */
export type Refusal = { text: string; status: number };

const saidBesideTheForm: ErrorCode[] = ["INVALID_REQUEST", "APP_NOT_FOUND", "CONFLICT", "RATE_LIMITED"];

/** What an operation answers, or what it refuses, in words for the form. Throws everything else. */
export async function attempt<Value>(
  work: () => Promise<Value>,
): Promise<{ value: Value; refusal?: never } | { value?: never; refusal: Refusal }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof AppError) || !saidBesideTheForm.includes(error.code)) throw error;
    // An application that was entered is a wrong value, not a wrong path.
    const status = error.code === "APP_NOT_FOUND" ? 400 : statusOf(error);
    return { refusal: { text: refusalText(error), status } };
  }
}

function refusalText({ message, details, rejected }: AppError): string {
  if (rejected) return `${rejected.field}: ${rejected.rule}.`;
  return details === "" ? message : `${message} (${details})`;
}
