import type { Context } from "../../runtime/context.ts";
import { examineApplications } from "./applications.ts";
import type { CheckName, Finding } from "./finding.ts";
import { examineInstallation } from "./installation.ts";

type Examinable = Exclude<CheckName, "configuration" | "backup">;

/** The messages of checks that found nothing, in the order of the results. */
const fine: Record<Examinable, string> = {
  files: "The data folder and its files are private.",
  certificate: "The certificate is valid for more than 14 days.",
  database: "The database responds, and its schema is up to date.",
  "master-key": "The master key is as old as the database.",
  "signing-keys": "Every signing key has its successor in time.",
  clock: "The clock agrees with the database.",
  passkeys: "The base URL allows passkeys, or no application asks for them.",
  mail: "The mail server responds.",
  "audit-log": "The receiver of the audit log confirms what it gets.",
  passwords: "The file of breached passwords is intact.",
  applications: "There is an application.",
  "email-code": "A mail server is set for codes to sign in, or no application asks for them.",
  "sign-up": "Addresses of new accounts are verified, or sign-up is closed.",
  organizations: "Every organization has an owner and its domains, and servers read the feed with organizations.",
  "new-passwords": "Everybody whose password must change can choose a new one.",
  "profile-fields": "Everybody has the profile fields that only the server writes.",
  "personal-tokens": "Every live personal access token allows something.",
  "second-factors": "Nobody is locked out of a second factor.",
  providers:
    "Every offered provider has credentials, issuers of your own answer, and linked identities belong to them.",
  "redirect-uris": "Redirect URIs match the domain or each other.",
  clients: "OpenID Connect clients are in use, with https addresses and lasting secrets.",
  webhooks: "No webhook is failing.",
  development: "Nothing is left over from development mode.",
};

/**
 * Looks for problems of an installation and prints the fix. Changes nothing. Returns the results of
 * every check, including good ones. `isQuick`: reads no large file and calls no other server.
 */
export async function examine(ctx: Context, options: { isQuick?: boolean } = {}): Promise<Finding[]> {
  const facts = { ...(await examineInstallation(ctx, options)), ...(await examineApplications(ctx, options)) };
  return (Object.entries(fine) as [Examinable, string][]).flatMap(([check, message]) => {
    const findings = facts[check];
    return findings?.length === 0 ? [{ check, status: "ok" as const, message, fix: null }] : (findings ?? []);
  });
}
