export const maxPasswordCharacters = 256;

/** The pattern that covers most of a guessable password. */
export type Weakness = "common" | "keyboard" | "repeated" | "sequence" | "date" | "personal" | "predictable";

/**
 * `guessesLog10`: estimated guesses, as a power of ten. `isCommon`: it is in the list of common
 * passwords.
 */
export type Strength = { isCommon: boolean; guessesLog10: number; weakness: Weakness };

export type PasswordProblem =
  | { kind: "password-too-short" | "password-common" | "password-context" | "password-breached" | "password-same" }
  | { kind: "password-too-long"; maxLength: number }
  | { kind: "password-weak"; weakness: Weakness };

/** Words of the person or the application, which attackers guess first. */
export type PasswordContext = { email: string; personName: string | null; appNames: (string | null)[] };

/**
 * Why a password's form is refused, or undefined. No composition rules (NIST SP 800-63B-4
 * §3.1.1.2).
 */
export function formProblem(
  password: string,
  { minLength, context }: { minLength: number; context: PasswordContext },
): PasswordProblem | undefined {
  const length = [...password].length;
  if (length < minLength) return { kind: "password-too-short" };
  if (length > maxPasswordCharacters) return { kind: "password-too-long", maxLength: maxPasswordCharacters };
  const { email, appNames } = context;
  const words = [email, localPartOf(email), ...appNames].map((word) => word?.toLowerCase());
  return words.includes(password.toLowerCase()) ? { kind: "password-context" } : undefined;
}

/** Why a well-formed password is too easy to guess, or undefined. */
export function strengthProblem(
  { isCommon, guessesLog10, weakness }: Strength,
  minGuessesLog10: number,
): PasswordProblem | undefined {
  if (isCommon) return { kind: "password-common" };
  return guessesLog10 < minGuessesLog10 ? { kind: "password-weak", weakness } : undefined;
}

/** A context's words, whole and in parts; two-letter words match too much. */
export function wordsOf({ email, personName, appNames }: PasswordContext): string[] {
  const whole = [email, localPartOf(email), personName, ...appNames].filter((word) => word !== null);
  const words = [...whole, ...whole.flatMap((word) => word.split(/[^\p{L}\p{N}]+/u))];
  return [...new Set(words.map((word) => word.toLowerCase()))].filter((word) => word.length > 2);
}

function localPartOf(email: string): string {
  return email.slice(0, email.indexOf("@"));
}
