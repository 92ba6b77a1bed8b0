import type { Handle } from "../storage/storage.ts";
import type { Login } from "./login-store.ts";

/** What goes into the tokens of a login, and decides whether it may go on. */
export type LoginToContinue = Pick<
  Login,
  "id" | "appId" | "userId" | "signedInWith" | "provider" | "scopes" | "publicClient" | "signedInAt"
>;

/** With its user's address. */
export type RotatedLogin = LoginToContinue & { email: string | null };

/** The columns of a `RotatedLogin`, of an update of `logins`. */
export function rotatedLoginOf({ logins }: Handle["tables"]) {
  const { id, appId, userId, signedInWith, provider, scopes, publicClient, signedInAt, userEmail: email } = logins;
  return { id, appId, userId, signedInWith, provider, scopes, publicClient, signedInAt, email };
}
