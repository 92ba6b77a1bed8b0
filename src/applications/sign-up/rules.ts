/** Which addresses accounts may get from now on (docs/decisions/0099). */
import type { AppSettings } from "../../storage/column-types.ts";

export type AddressRefusal = "not-allowed" | "blocked" | "disposable";

/** Whether a domain, or one that it is below, is in a list. */
export function isListed(domain: string, list: { has(domain: string): boolean }): boolean {
  const labels = domain.split(".");
  return labels.some((_label, at) => list.has(labels.slice(at).join(".")));
}

/** The rule that refuses a canonical address; undefined if none does. Blocked wins. */
export function ruleAgainst(
  settings: AppSettings,
  email: string,
  isDisposable: (domain: string) => boolean,
): AddressRefusal | undefined {
  const domain = email.slice(email.lastIndexOf("@") + 1);
  if (isListed(domain, new Set(settings.signUpBlockedDomains))) return "blocked";
  if (settings.signUpBlockDisposable === true && isDisposable(domain)) return "disposable";
  const allowed = settings.signUpEmailDomains ?? [];
  const fits = (rule: string) => (rule.startsWith("*.") ? domain.endsWith(rule.slice(1)) : domain === rule);
  return allowed.length > 0 && !allowed.some(fits) ? "not-allowed" : undefined;
}

/** Whether some address may be refused. */
export function hasDomainRules(settings: AppSettings): boolean {
  const { signUpEmailDomains, signUpBlockedDomains, signUpBlockDisposable } = settings;
  return [...(signUpEmailDomains ?? []), ...(signUpBlockedDomains ?? [])].length > 0 || signUpBlockDisposable === true;
}

/** These do nothing without a mail server. */
const needingMail = ["signUpEmailDomains", "signUpRequireVerified", "signUpApproval"] as const;

function isOn(settings: AppSettings | undefined, name: (typeof needingMail)[number]): boolean {
  const value = settings?.[name];
  return Array.isArray(value) ? value.length > 0 : value === true;
}

/** Whether nothing is issued to a new account before its address is proved. */
export function needsProof(settings: AppSettings): boolean {
  return needingMail.some((name) => isOn(settings, name));
}

/** Whether somebody must prove their address first. Who signed in before stays inside. */
export function mustProve(
  settings: AppSettings,
  user: { email: string | null; emailVerified: boolean; lastLoginAt: number | null },
): boolean {
  return needsProof(settings) && !user.emailVerified && user.email !== null && user.lastLoginAt === null;
}

/** The setting that a change turns on and that needs a mail server; undefined if none. */
export function newlyNeedsMail(before: AppSettings | undefined, after: AppSettings): string | undefined {
  return needingMail.find((name) => isOn(after, name) && !isOn(before, name));
}
