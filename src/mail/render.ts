import type { Application } from "../applications/application.ts";
import { clip, oneLine } from "../lib/text.ts";
import { browserOf, deviceOf } from "../lib/user-agent.ts";
import type { Mail, MailMethod, MailMessage, MailOrigin } from "./mail.ts";
import { htmlOf } from "./render-html.ts";
import { mailTextsFor, type LocalisedMail } from "./texts/texts.ts";

const mostMethodNameCharacters = 64;

/** A mail as words, before they become text or HTML. Everything in it is one line. */
export type MailWords = {
  subject: string;
  lead: string;
  /** What the lead speaks of, where that has a name: the method that was added. */
  about: string | undefined;
  button: { label: string; url: string; addressBelow: string } | undefined;
  /** Grouped, "1234 5678", with what to do with it. */
  code: { intro: string; digits: string } | undefined;
  holds: string | undefined;
  facts: string[];
  ifNotYou: { title: string; text: string };
};

type MailApp = Pick<Application, "name" | "branding">;

/** What a mail looks like: text first, the same as HTML. Pure: the same mail is the same bytes each time it is tried. `askedAt`: epoch milliseconds. */
export function renderMail(
  mail: Mail,
  { id, application, baseUrl, askedAt }: { id: string; application: MailApp; baseUrl: string; askedAt: number },
): MailMessage {
  const localised = mailTextsFor(mail.locale);
  const app = oneLine(application.branding.companyName ?? application.name);
  const words = wordsFor(mail, { app, localised, baseUrl, askedAt });
  return {
    id,
    kind: mail.kind,
    to: mail.to,
    senderName: app,
    subject: words.subject,
    text: textOf(words),
    html: htmlOf(words, { app, branding: application.branding, lang: localised.lang, dir: localised.dir }),
    language: localised.lang,
  };
}

type Context = { app: string; localised: LocalisedMail; baseUrl: string; askedAt: number };

function wordsFor(mail: Mail, { app, localised, baseUrl, askedAt }: Context): MailWords {
  const { texts, lang } = localised;
  const says = texts.kinds[mail.kind];
  const url = addressIn(mail, baseUrl);
  const proof = "code" in mail ? mail : undefined;
  return {
    subject: says.subject(app),
    lead: says.lead(app),
    about: "method" in mail ? methodName(mail.method, localised) : undefined,
    button: url === null ? undefined : { label: says.button(app), url, addressBelow: texts.addressBelow },
    code: proof && { intro: texts.codeInstead, digits: proof.code.replace(/(\d{4})(?=\d)/gu, "$1 ") },
    holds: proof && texts.holdsUntil(moment(proof.expiresAt, lang)),
    facts: [texts.fact(texts.when, moment(askedAt, lang)), ...originFacts(mail.origin, localised)],
    ifNotYou: { title: texts.ifNotYouTitle, text: says.ifNotYou(app) },
  };
}

function addressIn(mail: Mail, baseUrl: string): string | null {
  if ("link" in mail) return mail.link;
  if (mail.kind === "known-address") return mail.signInUrl;
  return `${baseUrl}/account?app_id=${encodeURIComponent(mail.appId)}`;
}

/** A name that is the user's own is shown; behind its label and clipped, so that it does not pass for a sentence of ours. */
function methodName({ type, name }: MailMethod, { texts }: LocalisedMail): string {
  const label = texts.methods[type];
  const shown = clip(oneLine(name ?? ""), mostMethodNameCharacters);
  if (shown === "") return label;
  return type === "oauth" ? shown : `${label} – ${shown}`;
}

function originFacts({ ipAddress, userAgent }: MailOrigin, { texts }: LocalisedMail): string[] {
  const [browser, device] = [browserOf(userAgent ?? ""), deviceOf(userAgent ?? "")];
  const used = browser !== undefined && device !== undefined ? texts.browserOn(browser, device) : (browser ?? device);
  return [
    ...(used === undefined ? [] : [texts.fact(texts.device, used)]),
    ...(ipAddress === null ? [] : [texts.fact(texts.ipAddress, ipAddress)]),
  ];
}

/** "November 21, 2026 at 10:32 AM UTC": where the reader is, nobody knows. */
function moment(epochMilliseconds: number, lang: string): string {
  return new Intl.DateTimeFormat(lang, {
    year: "numeric",
    month: "long",
    day: "numeric",
    hour: "numeric",
    minute: "2-digit",
    timeZone: "UTC",
    timeZoneName: "short",
  }).format(epochMilliseconds);
}

function textOf({ subject, lead, about, button, code, holds, facts, ifNotYou }: MailWords): string {
  const paragraphs = [
    subject,
    lead,
    about,
    button && `${button.label}\n${button.url}`,
    code && `${code.intro}\n${code.digits}`,
    holds,
    facts.join("\n"),
    `${ifNotYou.title}\n${ifNotYou.text}`,
  ];
  return `${paragraphs.filter((paragraph) => paragraph !== undefined).join("\n\n")}\n`;
}
