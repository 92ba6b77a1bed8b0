/** What a check found. `fix`: the command that mends it, or what to change where no command can; null when nothing is wrong. */
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
  | "clock"
  | "mail"
  | "sign-up"
  | "passkeys"
  | "providers"
  | "redirect-uris"
  | "webhooks";

export function warning(check: CheckName, message: string, fix: string): Finding {
  return { check, status: "warning", message, fix };
}

export function problem(check: CheckName, message: string, fix: string): Finding {
  return { check, status: "problem", message, fix };
}
