/**
 * The result of a check. `fix`: the command that repairs it, or what to change if there is no
 * command; null if nothing is wrong.
 */
export type Finding = {
  check: CheckName;
  status: "ok" | "warning" | "problem";
  message: string;
  fix: string | null;
};

export type CheckName =
  | "configuration"
  | "files"
  | "certificate"
  | "database"
  | "backup"
  | "master-key"
  | "signing-keys"
  | "clock"
  | "mail"
  | "audit-log"
  | "passwords"
  | "applications"
  | "sign-up"
  | "email-code"
  | "profile-fields"
  | "personal-tokens"
  | "second-factors"
  | "new-passwords"
  | "passkeys"
  | "providers"
  | "redirect-uris"
  | "clients"
  | "organizations"
  | "webhooks"
  | "development";

/** The findings of each check that applies here. */
export type Examined = Partial<Record<CheckName, Finding[]>>;

export function warning(check: CheckName, message: string, fix: string): Finding {
  return { check, status: "warning", message, fix };
}

export function problem(check: CheckName, message: string, fix: string): Finding {
  return { check, status: "problem", message, fix };
}
