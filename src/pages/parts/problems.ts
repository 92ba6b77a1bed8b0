import type { EmailProblem } from "../../lib/email.ts";
import type { FactOn } from "../../lib/profile-facts.ts";
import { waitingTime } from "../../look/duration.ts";
import type { Frame } from "./frame.ts";
import type { PasskeySignal } from "../../credentials/passkeys/passkey-signal.ts";
import type { CodeProblem, CreateAccountProblem, ResetProblem } from "../../sign-in/problems.ts";

export type FieldName =
  | "email"
  | "password"
  | "code"
  | "file"
  | "slug"
  | "domain"
  | "issuer"
  | "clientId"
  | "clientSecret"
  | "until"
  | FactOn<"account">
  | `profile-${string}`;

/**
 * Problems of a sign-in that the person can fix on the page. Provider names are display names
 * ("Google").
 */
export type SignInProblem =
  | {
      kind:
        | "wrong-credentials"
        | "other-account"
        | "busy"
        | "passkey-failed"
        | "passkey-changed"
        | `email-${EmailProblem}`
        | "password-missing";
    }
  /** `signal` tells the browser to forget it. */
  | { kind: "passkey-unknown"; signal?: PasskeySignal | undefined }
  | { kind: "too-many-tries"; retryAfterSeconds: number }
  | {
      kind:
        | "provider-cancelled"
        | "provider-no-email"
        | "provider-unsupported-email"
        | "provider-unverified-email"
        | "provider-existing-account"
        | "provider-no-account"
        | "provider-email-refused"
        | "provider-refused"
        | "provider-failed";
      provider: string;
    };

const textOfWeakness = {
  common: "passwordOfCommonOnes",
  keyboard: "passwordOnKeyboard",
  repeated: "passwordRepeats",
  sequence: "passwordIsSequence",
  date: "passwordIsDate",
  personal: "passwordIsPersonal",
  predictable: "passwordPredictable",
} as const;

/** A problem in words: beside the field that is the cause; above the form only if there is none. */
export type ProblemWords = { summary: string } | { field: FieldName; beside: string };

export function signInProblemWords(frame: Frame, problem: SignInProblem, passkey: boolean): ProblemWords {
  const { texts, look } = frame;
  switch (problem.kind) {
    case "wrong-credentials":
      return { summary: texts.wrongCredentials };
    case "other-account":
      return { summary: texts.otherAccount };
    case "busy":
      return { summary: texts.busy };
    case "passkey-unknown":
      return { summary: texts.passkeyUnknown(look.name) };
    case "passkey-failed":
      return { summary: texts.passkeyFailed };
    case "passkey-changed":
      return { summary: texts.passkeyChanged };
    case "email-missing":
      return { field: "email", beside: texts.emailMissing };
    case "email-invalid":
      return { field: "email", beside: texts.emailInvalid };
    case "email-unsupported":
      return { field: "email", beside: texts.emailUnsupported };
    case "password-missing":
      return { field: "password", beside: texts.passwordMissing };
    case "too-many-tries": {
      const wait = waitingTime(problem.retryAfterSeconds, frame.lang);
      return { summary: passkey ? texts.tooManyTriesOrPasskey(wait) : texts.tooManyTries(wait) };
    }
    case "provider-cancelled":
      return { summary: texts.providerCancelled(problem.provider) };
    case "provider-no-email":
      return { summary: texts.providerNoEmail(problem.provider) };
    case "provider-unsupported-email":
      return { summary: texts.providerUnsupportedEmail(problem.provider) };
    case "provider-unverified-email":
      return { summary: texts.providerUnverifiedEmail(problem.provider) };
    case "provider-existing-account":
      return { summary: texts.providerExistingAccount(problem.provider, look.name) };
    case "provider-no-account":
      return { summary: texts.providerNoAccount(problem.provider, look.name) };
    case "provider-email-refused":
      return { summary: texts.providerEmailRefused(problem.provider, look.name) };
    case "provider-refused":
      return { summary: texts.providerRefused(problem.provider, look.name) };
    case "provider-failed":
      return { summary: texts.providerFailed(problem.provider) };
  }
}

/** `allowed`: the domains that the application lets the page name. */
export function refusedAddress({ texts, look }: Frame, allowed: string[]): string {
  return allowed.length === 0 ? texts.emailRefused(look.name) : texts.emailOnlyOf(look.name, allowed.join(", "));
}

type FieldChecks = Record<"missing" | "invalid" | "unsupported" | "short", string>;

/** Field messages for the browser code, in the service's words. */
export function emailChecks({ texts }: Frame): Pick<FieldChecks, EmailProblem> {
  return {
    missing: texts.emailMissing,
    invalid: texts.emailInvalid,
    unsupported: texts.emailUnsupported,
  };
}

export function newPasswordChecks({ texts }: Frame, minLength: number): Pick<FieldChecks, "missing" | "short"> {
  return {
    missing: texts.newPasswordMissing,
    short: texts.passwordTooShort(minLength),
  };
}

export function codeProblemWords({ texts }: Frame, { kind }: CodeProblem): ProblemWords {
  switch (kind) {
    case "code-missing":
      return { field: "code", beside: texts.codeMissing };
    case "code-wrong":
      return { field: "code", beside: texts.codeWrong };
    case "code-over":
      return { summary: texts.codeOver };
  }
}

export function resetProblemWords(frame: Frame, problem: ResetProblem, passwordMinLength: number): ProblemWords {
  return isCodeProblem(problem)
    ? codeProblemWords(frame, problem)
    : createAccountProblemWords(frame, problem, passwordMinLength);
}

function isCodeProblem(problem: ResetProblem): problem is CodeProblem {
  return problem.kind.startsWith("code-");
}

export function createAccountProblemWords(
  frame: Frame,
  problem: CreateAccountProblem,
  passwordMinLength: number,
): ProblemWords {
  const { texts, look } = frame;
  switch (problem.kind) {
    case "email-missing":
      return { field: "email", beside: texts.emailMissing };
    case "email-invalid":
      return { field: "email", beside: texts.emailInvalid };
    case "email-unsupported":
      return { field: "email", beside: texts.emailUnsupported };
    case "password-missing":
      return { field: "password", beside: texts.newPasswordMissing };
    case "password-too-short":
      return { field: "password", beside: texts.passwordTooShort(passwordMinLength) };
    case "password-too-long":
      return { field: "password", beside: texts.passwordTooLong(problem.maxLength) };
    case "password-common":
      return { field: "password", beside: texts.passwordCommon };
    case "password-same":
      return { field: "password", beside: texts.passwordSame };
    case "password-breached":
      return { field: "password", beside: texts.passwordBreached };
    case "password-weak":
      return { field: "password", beside: texts[textOfWeakness[problem.weakness]] };
    case "password-context":
      return { field: "password", beside: texts.passwordContext(look.name) };
    case "email-refused":
      return { field: "email", beside: refusedAddress(frame, problem.allowed) };
    case "name-too-long":
      return { field: "name", beside: texts.nameTooLong(problem.maxLength) };
    case "cannot-create":
      return { summary: texts.cannotCreate };
    case "busy":
      return { summary: texts.busy };
    case "passkey-failed":
      return { summary: texts.passkeyNotSaved };
    case "passkey-exists":
      return { summary: texts.passkeyExists };
    case "passkeys-full":
      return { summary: texts.passkeysFull };
    case "too-many-tries":
      return { summary: texts.tooManyTries(waitingTime(problem.retryAfterSeconds, frame.lang)) };
  }
}
