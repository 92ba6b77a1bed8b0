export const mostPasswordCharacters = 256;

export type PasswordProblem =
  | { kind: "password-too-short" | "password-common" | "password-context" }
  | { kind: "password-too-long"; maxLength: number };

/** Why a password is refused, or undefined. Lengths count characters; there are no composition rules (NIST SP 800-63B-4 §3.1.1.2). */
export function passwordProblem(
  password: string,
  context: { minLength: number; email: string; names: (string | null)[]; isCommon: (lowerCase: string) => boolean },
): PasswordProblem | undefined {
  const length = [...password].length;
  if (length < context.minLength) return { kind: "password-too-short" };
  if (length > mostPasswordCharacters) return { kind: "password-too-long", maxLength: mostPasswordCharacters };
  const lowerCase = password.toLowerCase();
  const localPart = context.email.slice(0, context.email.indexOf("@"));
  const words = [context.email, localPart, ...context.names].map((word) => word?.toLowerCase());
  if (words.includes(lowerCase)) return { kind: "password-context" };
  return context.isCommon(lowerCase) ? { kind: "password-common" } : undefined;
}

/** Failures in a row that nobody has to wait after. */
export const freeFailures = 5;
const longestWaitSeconds = 900;

/** How long an account waits after its n-th failure in a row: nothing for five, then 1, 2, 4 … 900 s. */
export function waitSecondsAfter(failures: number): number {
  return failures <= freeFailures ? 0 : Math.min(2 ** (failures - freeFailures - 1), longestWaitSeconds);
}

/**
 * After so many failures in a row a password opens nothing any more, not even the right one, until it is replaced or nobody has tried it for a day
 * (NIST SP 800-63B-4 §3.2.2). Takes whoever tries at least 22 hours; other methods and the reset are not touched.
 */
export const mostFailures = 100;

/** The failures from which on the wait no longer grows. */
export const failuresOfLongestWait = freeFailures + 1 + Math.ceil(Math.log2(longestWaitSeconds));
