import { providerDisplayName } from "../../applications/providers/providers.ts";
import { capitalized } from "../../lib/text.ts";
import type { ActivityEvent } from "../../storage/column-types.ts";

const methods: Record<string, string> = {
  passkey: "Passkey",
  password: "Password",
  emailCode: "Code by mail",
  oauth: "Provider",
  invitation: "Invitation",
};

const prefix = "oauth:";

/** A provider's name, where people signed in with one. */
export function providerOf(kind: string): string | undefined {
  return kind.startsWith(prefix) ? providerDisplayName(kind.slice(prefix.length)) : undefined;
}

export function methodName(kind: string): string {
  return providerOf(kind) ?? methods[kind] ?? kind;
}

const factors: Record<string, string> = { totp: "Authenticator app", "recovery-code": "Recovery code" };

/** The codes of answers that refuse a call. */
const refusals: Record<string, string> = {
  RATE_LIMITED: "Too many requests",
  INVALID_TOKEN: "Invalid or expired token",
  INVALID_API_KEY: "Wrong API key",
  INVALID_APP_ID: "Unknown application",
  INVALID_CLIENT: "Client not authenticated",
  INSUFFICIENT_SCOPE: "Not allowed",
};

/** Why something failed or was refused. */
export function reasonName({ event, kind }: { event: ActivityEvent; kind: string }): string {
  if (event === "sign-in.failed") return methodName(kind);
  if (event === "second-factor.failed") return factors[kind] ?? "Second factor";
  return refusals[kind] ?? (kind === "" ? "Unknown" : inWords(kind));
}

/** `USER_NOT_FOUND` is "User not found". */
function inWords(code: string): string {
  return capitalized(code.replaceAll(/[_.-]/gu, " ").toLowerCase());
}
