import type { Application } from "../applications/application.ts";
import type { Attempts } from "../rate-limits/service.ts";
import type { Storage } from "../storage/storage.ts";
import type { Hasher } from "./hasher.ts";
import { formProblem, strengthProblem, wordsOf, type PasswordProblem } from "./rules.ts";
import type { StrengthOf } from "./strength.ts";

export type NewPasswords = ReturnType<typeof createNewPasswords>;

/** Checks and hashes passwords that somebody chooses. */
export function createNewPasswords(deps: {
  storage: Storage;
  hasher: Hasher;
  strengthOf: StrengthOf;
  /** The guesses that a new password must withstand, as a power of ten. */
  minGuessesLog10: number;
  /** By network, over all accounts. */
  attempts: Attempts;
}) {
  const { storage, hasher, strengthOf, minGuessesLog10, attempts } = deps;

  return {
    /**
     * Why a new password is refused, or undefined. Throws RATE_LIMITED for too many at once from
     * one network, BUSY under overload. `network`: undefined for an operator's command.
     */
    async problemWith(
      password: string,
      { name, branding, settings }: Application,
      person: { email: string; name: string | null },
      network: string | undefined,
    ): Promise<PasswordProblem | undefined> {
      const context = { email: person.email, personName: person.name, appNames: [name, branding.companyName] };
      const problem = formProblem(password, { minLength: settings.passwordMinLength, context });
      if (problem) return problem;
      // A random character counts as ten guesses: random ones of the minimum length always suffice.
      const enough = Math.min(minGuessesLog10, settings.passwordMinLength - 1);
      return strengthProblem(await strengthOf({ password, words: wordsOf(context) }, network), enough);
    },

    /**
     * The hash of a new password. Throws RATE_LIMITED for too many attempts from one network, BUSY
     * under overload. `network`: undefined for an operator's command, which is not counted.
     */
    async hash(password: string, network: string | undefined): Promise<string> {
      hasher.admit();
      if (network === undefined) return await hasher.hash(password);
      const attempt = attempts.admit(network);
      try {
        attempt.fail();
        attempts.refuseExceeded(await storage.write((tx) => attempt.count(tx)));
        return await hasher.hash(password);
      } finally {
        attempt.end();
      }
    },
  };
}
