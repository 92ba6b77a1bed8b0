/** An application's own words. applications/own-words.ts checks them when they are written. */
import type { Labels, MailKind, OwnText } from "../storage/column-types.ts";

/** A value that a text can name, such as `{app}`. */
export type Placeholder = "app" | "name" | "email" | "organization";

/** `email` and `name` were typed by a person, so no mail to an unproved address may have them. */
const unproved = ["app"] as const;
const proved = ["app", "email"] as const;
const ofOrganization = ["app", "email", "organization"] as const;

/** The kinds marked `proved` are only sent to people who have proved the address. */
export const mailPlaceholders: Record<MailKind, readonly Placeholder[]> = {
  "sign-up": unproved,
  "sign-in": unproved,
  verify: unproved,
  reset: unproved,
  "password-form": unproved,
  "change-address": unproved,
  "address-changed": unproved,
  "address-replaced": unproved,
  "address-restored": unproved,
  invite: unproved,
  "known-address": unproved,
  "method-added": unproved,
  "method-removed": unproved,
  "password-changed": unproved,
  "new-device": unproved,
  "factor-added": unproved,
  "factor-removed": unproved,
  "recovery-code-used": unproved,
  "recovery-codes-new": unproved,
  "factor-guessed": unproved,
  "recovery-link-made": unproved,
  "personal-token-made": unproved,
  "personal-token-ending": unproved,
  "domain-missing": proved,
  "domain-lost": proved,
  "organization-setup": unproved,
  "organization-setup-code": unproved,
  // The exception: without its organization, an invitation means nothing.
  "organization-invite": ["app", "organization"],
  "organization-declined": ofOrganization,
  "organization-owner-added": ofOrganization,
  "organization-owner-removed": ofOrganization,
  "organization-deleted": ofOrganization,
  "organization-provider-changes": ofOrganization,
  "organization-provider-fails": ofOrganization,
  "organization-relink": ofOrganization,
  approved: proved,
  refused: proved,
  "accounts-waiting": unproved,
};

const placeholder = /\{[a-z]+\}/gu;

/** The text of a place. Undefined for the built-in one, also where a value is missing. */
export function ownText(
  texts: readonly OwnText[] | null | undefined,
  place: string,
  lang: string,
  values: Partial<Record<Placeholder, string | null>>,
): string | undefined {
  const text = texts?.find((each) => each.place === place)?.text[lang];
  if (text === undefined) return undefined;
  const valueOf = (named: string) => values[named.slice(1, -1) as Placeholder] ?? undefined;
  if ((text.match(placeholder) ?? []).some((named) => valueOf(named) === undefined)) return undefined;
  // In one pass: a value that looks like a placeholder stays as it is.
  return text.replaceAll(placeholder, (named) => valueOf(named) ?? "");
}

type InLanguage = { text: string; lang: string };

/** Under every page and mail. Where the reader's language is missing, in another one. */
export type OwnFooter = { text: InLanguage | undefined; links: (InLanguage & { url: string })[] };

export function ownFooter(texts: readonly OwnText[] | null | undefined, lang: string): OwnFooter | undefined {
  const text = texts?.find(({ place }) => place === "footer.text");
  const links = (texts ?? []).flatMap(({ text: labels, url }) =>
    url === undefined ? [] : [{ ...nearest(labels, lang), url }],
  );
  return text || links.length > 0 ? { text: text && nearest(text.text, lang), links } : undefined;
}

function nearest(texts: Labels, lang: string): InLanguage {
  const found = [lang, "en", ...Object.keys(texts)].find((each) => texts[each] !== undefined) ?? lang;
  return { text: texts[found] ?? "", lang: found };
}
