import path from "node:path";

/** The pictures that documents show. All others go to an ignored folder. */
export const kept: readonly string[] = [
  "sign-in.light",
  "create-account.light",
  "account.light",
  "sign-in-providers.phone",
  "account.dark",
  "account-apps.light",
  "account-new-token.light",
  "step-terms.light",
  "step-profile.light",
  "message-pending.light",
  "sign-in-ar.phone",
  "device-code.light",
  "device-decision.phone",
  "organization.desktop",
  "organization-invited.phone",
  "console-overview.light",
  "console-overview.dark",
  "console-person.light",
  "console-organization.light",
  "console-branding.light",
  "console-audit.phone",
  "console-webhooks.light",
];

export const isKept = (label: string): boolean => kept.includes(label);

const root = path.join(import.meta.dirname, "../..");

/** The folder of a picture if the command names none. */
export function usualFolder(label: string): string {
  return path.join(root, isKept(label) ? "docs/pages" : "build/pages");
}
