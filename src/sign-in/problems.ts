import type { Weakness } from "../credentials/passwords/rules.ts";
import type { EmailProblem } from "../lib/email.ts";

/** Problems of a sign-up that the person can fix on the page. */
export type CreateAccountProblem =
  | {
      kind:
        | `email-${EmailProblem}`
        | "password-missing"
        | "password-too-short"
        | "password-common"
        | "password-breached"
        | "password-same"
        | "password-context"
        | "cannot-create"
        | "busy"
        | "passkey-failed"
        | "passkey-exists"
        | "passkeys-full";
    }
  /** By the sign-up rules; `allowed`: the domains that the page names. */
  | { kind: "email-refused"; allowed: string[] }
  | { kind: "password-too-long"; maxLength: number }
  | { kind: "password-weak"; weakness: Weakness }
  | { kind: "name-too-long"; maxLength: number }
  | { kind: "too-many-tries"; retryAfterSeconds: number };

/** Problems with a mailed code. */
export type CodeProblem = { kind: "code-missing" | "code-wrong" | "code-over" };

export type ResetProblem = CodeProblem | CreateAccountProblem;
