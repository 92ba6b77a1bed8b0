/** What the audit log has about a person, in words. */
import { providerDisplayName } from "../../applications/providers/providers.ts";
import type { AuditRow } from "../../records/audit/store.ts";
import type { EndReason } from "../../storage/column-types.ts";

type Details = AuditRow["details"];

/** Why a sign-in or a code was refused. Earlier entries have no reason. */
const reasons: Record<string, string> = {
  blocked: "Blocked after too many wrong passwords",
  disabled: "The account was disabled",
  "no-password": "The account has no password",
  "wrong-password": "Wrong password",
  groups: "Not in a group that the program admits",
  "existing-method-first": "The provider's address belongs to this account, which is not connected",
};

const factors: Record<string, string> = {
  totp: "Wrong code of the authenticator app",
  "recovery-code": "Wrong recovery code",
};

const methods: Record<string, string> = {
  password: "Wrong password, or blocked",
  passkey: "The passkey was refused",
  oauth: "The provider's sign-in was refused",
  emailCode: "Wrong or expired code by mail",
};

/** With how often, if several were counted together. */
export function whyRefused(action: string, { reason, factor, method, count }: Details): string {
  const why =
    action === "email-code"
      ? "Wrong code from a mail"
      : (reasons[String(reason)] ?? factors[String(factor)] ?? methods[String(method)] ?? "Refused");
  return typeof count === "number" ? `${why}, ${count} times` : why;
}

const ways: Record<string, string> = {
  password: "password",
  passkey: "passkey",
  oauth: "provider",
  emailCode: "code by mail",
  organization: "provider of an organization",
};

const seconds: Record<string, string> = {
  totp: "code of the authenticator app",
  "recovery-code": "recovery code",
  "new-totp": "new authenticator app",
  provider: "second factor of the provider",
  trusted: "trusted browser",
};

/** How somebody signed in, and into which program. */
export function howWords({ method, provider, secondFactor, singleSignOn, device, clientId }: Details): string {
  const way = typeof provider === "string" ? providerDisplayName(provider) : (ways[String(method)] ?? String(method));
  const second = typeof secondFactor === "string" ? ` and ${seconds[secondFactor] ?? secondFactor}` : "";
  const into = typeof clientId === "string" ? `, into ${clientId}` : "";
  return `${way}${second}${singleSignOn === true ? ", by single sign-on" : ""}${device === true ? ", on a device" : ""}${into}`;
}

const ends: Record<EndReason, string> = {
  logout: "signed out",
  "logout-all": "signed out everywhere",
  account: "ended on the account page",
  "address-proven": "somebody proved the address",
  "address-restored": "the earlier address was restored",
  "password-changed": "the password was changed",
  "password-reset": "the password was reset",
  "method-removed": "a method was removed",
  "user-deleted": "the account was deleted",
  "refresh-reuse": "a refresh token was used twice",
  "code-reuse": "a sign-in code was used twice",
  operator: "by an operator",
  "user-disabled": "the account was disabled",
  "client-deleted": "the program was deleted",
  "client-blocked": "the program was blocked",
  restored: "the database was restored",
  "too-many": "the oldest of too many",
  "other-user": "somebody else signed in in the same browser",
  replaced: "signed in again in the same browser",
  "proof-ended": "the membership, or what the organization's provider said, ended",
};

export function endWords(reason: string | null): string {
  return reason === null ? "" : (ends[reason as EndReason] ?? reason);
}
