/** Mails as people get them, about nobody. */
import { day, hour } from "../../lib/clock.ts";
import { invalidRequest } from "../../lib/errors.ts";
import type { MailKind } from "../../storage/column-types.ts";
import type { Mail } from "./mail.ts";
import { en } from "./texts/en.ts";
import { mailLanguages } from "./texts/texts.ts";

export const mailKinds = Object.keys(en.kinds) as MailKind[];

/** Throws INVALID_REQUEST. */
export function checkedKind(kind: string): MailKind {
  const known = mailKinds.find((each) => each === kind);
  if (!known) throw invalidRequest("kind", `one of ${mailKinds.join(", ")}`);
  return known;
}

/** Throws INVALID_REQUEST. */
export function checkedLanguage(language: string): string {
  if (!mailLanguages.has(language)) throw invalidRequest("language", `one of ${[...mailLanguages.keys()].join(", ")}`);
  return language;
}

/** Its link leads to the page for links that no longer work. */
export function sampleMail(
  kind: MailKind,
  { appId, to, locale, baseUrl, now }: { appId: string; to: string; locale: string; baseUrl: string; now: number },
): Mail {
  const userAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const origin = { ipAddress: "192.0.2.1", userAgent };
  const common = { appId, userId: null, to, locale, origin };
  const link = `${baseUrl}/confirm/sample`;
  const [expiresAt, code] = [now + hour, "12345678"];
  const organizationId = "org_00000000000000000000000000";
  const ofProvider = { organization: "Example", organizationId, provider: "login.acme.example" };
  switch (kind) {
    case "sign-up":
    case "sign-in":
    case "verify":
    case "reset":
    case "change-address":
      return { ...common, kind, link, code, expiresAt };
    case "password-form":
      return { ...common, kind, link, expiresAt };
    case "address-changed":
    case "invite":
      return { ...common, kind, link, expiresAt: now + 7 * day };
    case "organization-setup-code":
      return { ...common, kind, organization: "Example", link, code, expiresAt };
    case "organization-invite":
    case "organization-setup":
      return { ...common, kind, organization: "Example", inviter: "ada@example.com", link, expiresAt: now + 7 * day };
    case "organization-deleted":
      return { ...common, kind, organization: "Example", organizationId, expiresAt: now + 7 * day };
    case "organization-declined":
    case "organization-owner-added":
    case "organization-owner-removed":
      return { ...common, kind, organization: "Example", person: "ada@example.com" };
    case "organization-provider-changes":
      return { ...common, kind, ...ofProvider, worksAt: now + day };
    case "organization-provider-fails":
      return { ...common, kind, ...ofProvider, since: now - hour, reason: "discovery: no response within 10 s" };
    case "organization-relink":
      return { ...common, kind, ...ofProvider, endsAt: now + 14 * day, lastUsedAt: now - 7 * day };
    case "approved":
      return { ...common, kind, sentence: "Welcome to the pilot.", link: `${baseUrl}/account` };
    case "refused":
      return { ...common, kind, sentence: "The pilot is full." };
    case "accounts-waiting":
      return { ...common, kind, waiting: 3, link: `${baseUrl}/account` };
    case "known-address":
      return { ...common, kind, signInUrl: `${baseUrl}/account` };
    case "method-added":
    case "method-removed":
      return { ...common, kind, method: { type: "passkey", name: "Laptop" } };
    case "recovery-code-used":
      return { ...common, kind, codesLeft: 7 };
    case "personal-token-made":
    case "personal-token-ending":
      return { ...common, kind, tokenName: "Backup script", endsAt: now + 7 * day };
    case "domain-missing":
    case "domain-lost":
      return { ...common, kind, domain: "acme.example", organizationId };
    case "password-changed":
    case "new-device":
    case "address-replaced":
    case "address-restored":
    case "factor-added":
    case "factor-removed":
    case "factor-guessed":
    case "recovery-codes-new":
    case "recovery-link-made":
      return { ...common, kind };
  }
}
