import type { Application } from "../../applications/application.ts";
import { clip, oneLine } from "../../lib/text.ts";
import { browserOf, deviceOf } from "../../lib/user-agent.ts";
import { mailPlaceholders, ownFooter, ownText, type Placeholder } from "../../look/own-words.ts";
import { dayOf, zonedMomentOf } from "../../look/dates.ts";
import type { MailKind } from "../../storage/column-types.ts";
import type { Mail, MailMethod, MailMessage, MailClientInfo } from "./mail.ts";
import { htmlOf, type MailWords } from "./render-html.ts";
import { mailTextsFor, type LocalisedMail } from "./texts/texts.ts";

const maxMethodNameCharacters = 64;
/** What an operator writes with a decision. */
export const maxSentenceCharacters = 500;

/** Actions that the reader cannot have done in this account. */
const byOthers: ReadonlySet<MailKind> = new Set([
  "invite",
  "address-replaced",
  "address-restored",
  "recovery-link-made",
  "domain-missing",
  "domain-lost",
  "organization-invite",
  "organization-setup",
  "organization-declined",
  "organization-owner-added",
  "organization-owner-removed",
  "organization-provider-changes",
  "organization-provider-fails",
  "organization-relink",
  "approved",
  "refused",
  "accounts-waiting",
]);

/** The branding of a mail. */
export type MailApp = Pick<Application, "name" | "branding"> & {
  settings: Pick<Application["settings"], "mailName" | "texts">;
};

/**
 * Renders a mail as text and equivalent HTML. Pure: the same bytes at every attempt. `askedAt`:
 * epoch milliseconds.
 */
export function renderMail(
  mail: Mail,
  { id, application, baseUrl, askedAt }: { id: string; application: MailApp; baseUrl: string; askedAt: number },
): MailMessage {
  const localised = mailTextsFor(mail.locale);
  const app = oneLine(application.settings.mailName ?? application.branding.companyName ?? application.name);
  const supportUrl = application.branding.supportUrl ?? null;
  const { texts } = application.settings;
  const words = wordsFor(mail, { app, localised, baseUrl, askedAt, supportUrl, texts });
  return {
    id,
    kind: mail.kind,
    to: mail.to,
    senderName: app,
    // The code first: a phone shows it in the notification.
    subject: "code" in mail ? `${mail.code} – ${words.heading}` : words.heading,
    text: textOf(words),
    html: htmlOf(words, { app, branding: application.branding, baseUrl, lang: localised.lang, dir: localised.dir }),
    language: localised.lang,
  };
}

type Context = {
  app: string;
  localised: LocalisedMail;
  baseUrl: string;
  askedAt: number;
  supportUrl: string | null;
  texts: MailApp["settings"]["texts"];
};

function wordsFor(mail: Mail, { app, localised, baseUrl, askedAt, supportUrl, texts: own }: Context): MailWords {
  const { texts, lang } = localised;
  const says = texts.kinds[mail.kind];
  const url = addressIn(mail, baseUrl);
  const code = "code" in mail ? mail.code : undefined;
  const values = valuesFor(mail, app);
  const place = { lang, timeZone: mail.origin.timeZone ?? "UTC" };
  const ends = "expiresAt" in mail ? zonedMomentOf(mail.expiresAt, place) : undefined;
  return {
    heading: ownText(own, `mail.${mail.kind}.subject`, lang, values) ?? says.subject(app),
    lead: ownText(own, `mail.${mail.kind}.intro`, lang, values) ?? says.lead(app),
    about: aboutOf(mail, localised),
    button: url === null ? undefined : { label: says.button(app), url, addressBelow: texts.addressBelow },
    code: code === undefined ? undefined : { intro: texts.codeInstead, digits: code.replace(/(\d{4})(?=\d)/gu, "$1 ") },
    holds: ends && (code === undefined ? texts.linkHoldsUntil(ends) : texts.holdsUntil(ends)),
    // A token ends with the last millisecond of a day.
    facts: [
      ...peopleIn(mail, localised),
      ...("connects" in mail && mail.connects !== undefined ? [texts.fact(texts.connects, mail.connects)] : []),
      ...("provider" in mail ? providerFacts(mail, localised, place) : []),
      ...("endsAt" in mail ? [texts.fact(texts.lastDay, dayOf(mail.endsAt - 1, place))] : []),
      texts.fact(texts.when, zonedMomentOf(askedAt, place)),
      ...clientFacts(mail.origin, localised),
    ],
    ifNotYou: {
      title: byOthers.has(mail.kind) ? texts.ifUnexpectedTitle : texts.ifNotYouTitle,
      text: says.ifNotYou(app),
    },
    support: supportUrl?.startsWith("https://") === true ? { label: texts.support, url: supportUrl } : undefined,
    footer: ownFooter(own, lang),
  };
}

/** What its own words may name: nothing that a person typed if the address may not be proved. */
function valuesFor(mail: Mail, app: string): Partial<Record<Placeholder, string>> {
  const values: Partial<Record<Placeholder, string>> = {
    app,
    email: mail.to,
    ...("organization" in mail && { organization: organizationName(mail.organization) }),
  };
  return Object.fromEntries(mailPlaceholders[mail.kind].map((name) => [name, values[name]]));
}

function organizationName(name: string): string {
  return clip(oneLine(name), maxMethodNameCharacters);
}

function aboutOf(mail: Mail, localised: LocalisedMail): string | undefined {
  if ("organization" in mail) return organizationName(mail.organization);
  if ("sentence" in mail)
    return mail.sentence === null ? undefined : clip(oneLine(mail.sentence), maxSentenceCharacters);
  if ("waiting" in mail) return localised.texts.accountsWaiting(mail.waiting);
  if ("codesLeft" in mail) return localised.texts.codesLeft(mail.codesLeft);
  if ("domain" in mail) return mail.domain;
  if ("tokenName" in mail) return mail.tokenName === "" ? undefined : tokenName(mail.tokenName, localised);
  return "method" in mail ? methodName(mail.method, localised) : undefined;
}

/** Addresses follow a label, so that they cannot pass for our sentences. */
function peopleIn(mail: Mail, { texts }: LocalisedMail): string[] {
  if ("inviter" in mail && mail.inviter !== null) return [texts.fact(texts.invitedBy, mail.inviter)];
  return "person" in mail ? [texts.fact(texts.person, mail.person)] : [];
}

/** The reason of a failure is one of our own sentences, in English as in the log. */
function providerFacts(
  mail: Extract<Mail, { provider: string }>,
  { texts }: LocalisedMail,
  place: { lang: string; timeZone: string },
): string[] {
  const moment = (label: string, at: number): string => texts.fact(label, zonedMomentOf(at, place));
  return [
    texts.fact(texts.provider, mail.provider),
    ...("worksAt" in mail ? [moment(texts.worksFrom, mail.worksAt)] : []),
    ...("since" in mail ? [moment(texts.since, mail.since), texts.fact(texts.reason, mail.reason)] : []),
    ...("lastUsedAt" in mail && mail.lastUsedAt !== null ? [moment(texts.lastUsed, mail.lastUsedAt)] : []),
  ];
}

function addressIn(mail: Mail, baseUrl: string): string | null {
  if ("link" in mail) return mail.link;
  if (mail.kind === "refused") return null;
  if (mail.kind === "known-address") return mail.signInUrl;
  const appId = encodeURIComponent(mail.appId);
  if ("organizationId" in mail) return `${baseUrl}/organization?app_id=${appId}&organization=${mail.organizationId}`;
  return `${baseUrl}/account?app_id=${appId}`;
}

/**
 * A method's name. The user's own names come after a label and are clipped, so that they cannot
 * pass for our sentences.
 */
function methodName({ type, name }: MailMethod, { texts }: LocalisedMail): string {
  const label = texts.methods[type];
  const shown = clip(oneLine(name ?? ""), maxMethodNameCharacters);
  if (shown === "") return label;
  return type === "oauth" ? shown : `${label} – ${shown}`;
}

/** The owner's own name, after a label. */
function tokenName(name: string, { texts }: LocalisedMail): string {
  return texts.fact(texts.token, clip(oneLine(name), maxMethodNameCharacters));
}

function clientFacts({ ipAddress, userAgent }: MailClientInfo, { texts }: LocalisedMail): string[] {
  const [browser, device] = [browserOf(userAgent ?? ""), deviceOf(userAgent ?? "")];
  const used = browser !== undefined && device !== undefined ? texts.browserOn(browser, device) : (browser ?? device);
  return [
    ...(used === undefined ? [] : [texts.fact(texts.device, used)]),
    ...(ipAddress === null ? [] : [texts.fact(texts.ipAddress, ipAddress)]),
  ];
}

function textOf({ heading, lead, about, button, code, holds, facts, ifNotYou, support, footer }: MailWords): string {
  const paragraphs = [
    heading,
    lead,
    about,
    button && `${button.label}\n${button.url}`,
    code && `${code.intro}\n${code.digits}`,
    holds,
    facts.join("\n"),
    `${ifNotYou.title}\n${ifNotYou.text}`,
    support && `${support.label}\n${support.url}`,
    footer?.text?.text,
    ...(footer?.links ?? []).map(({ text, url }) => `${text}\n${url}`),
  ];
  return `${paragraphs.filter((paragraph) => paragraph !== undefined).join("\n\n")}\n`;
}
