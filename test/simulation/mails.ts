/** What every mail must be, to whom it goes, and that each act has one mail. */
import type { MailMessage } from "../../src/records/mail/mail.ts";
import type { auditEvents, sentMails } from "../../src/storage/tables/sqlite.ts";

type Entry = Pick<
  typeof auditEvents.$inferSelect,
  "action" | "actor" | "userId" | "requestId" | "ipAddress" | "details" | "at"
>;
type User = { appId: string; email: string | null; emailVerified: boolean };

/** Where the link of each kind leads; all others lead to the account. */
const leads: Record<string, RegExp> = {
  "sign-up": /^\/confirm\/[\w-]{43}\?/u,
  verify: /^\/confirm\/[\w-]{43}\?/u,
  "sign-in": /^\/confirm\/[\w-]{43}\?/u,
  "change-address": /^\/confirm\/[\w-]{43}\?/u,
  reset: /^\/reset\/[\w-]{43}\?/u,
  invite: /^\/invite\/[\w-]{43}\?/u,
  "address-changed": /^\/restore\/[\w-]{43}\?/u,
  "organization-invite": /^\/organization\/invitation\/[\w-]{43}\?/u,
  "organization-setup": /^\/organization\/setup\/[\w-]{43}\?/u,
  "organization-setup-code": /^\/organization\/setup\/[\w-]{43}\?/u,
  "organization-relink": /^\/organization\?app_id=\w+&organization=/u,
};
const hasCode = /^(?:sign-up|verify|sign-in|change-address|reset|organization-setup-code)$/u;
/** Their links belong to the application, or name what the kind above does not say. */
const isOther = /^(?:approved|refused|known-address|accounts-waiting|password-form|organization-|domain-)/u;
/** Of people who are named: who invites, joined or left. */
const namesSomebody = /^organization-/u;

/** `language`: what is known of the reader's; `sent`: all before. */
export function problemOfMail(
  message: MailMessage,
  { language, url, earlier }: { language: string | undefined; url: string; earlier: readonly MailMessage[] },
): string | undefined {
  const { id, kind, to, subject, text, html, senderName } = message;
  if (/\bundefined\b|\[object |\bNaN\b|\$\{/u.test(`${subject} ${text} ${html}`)) return "says something undefined";
  if (language !== undefined && message.language !== language)
    return `is in ${message.language} and not in ${language}`;
  if (!html.includes(`lang="${message.language}"`) || senderName === "") return "has no language or sender";
  const others = text.match(/[\w.+-]+@[\w-]+\.[\w.]+/gu)?.filter((each) => each !== to) ?? [];
  if (others.length > 0 && !namesSomebody.test(kind)) return `names ${others.join(", ")}`;
  const [link = "", another] = text.match(/https?:\/\/\S+/gu) ?? [];
  if (another !== undefined && kind in leads) return "has two links";
  const path = link.startsWith(`${url}/`) ? link.slice(url.length) : "";
  const isRight = kind in leads ? leads[kind]?.test(path) : isOther.test(kind) || /^\/account\?app_id=\w+$/u.test(path);
  if (isRight !== true) return `leads to ${link}`;
  if (link !== "" && !html.includes(link.replaceAll("&", "&amp;"))) return "has another link in its HTML";
  const code = /^(\d{4}) (\d{4})$/mu.exec(text)?.slice(1).join("");
  if (hasCode.test(kind) !== (code !== undefined)) return `has the code ${code}`;
  if (code !== undefined && !(subject.startsWith(`${code} – `) && html.includes(code.slice(4)))) return "has two codes";
  const token = /\/([\w-]{43})\?/u.exec(path)?.[1];
  const same = token === undefined ? undefined : earlier.find((each) => each.id !== id && each.text.includes(token));
  // A code to set up comes with the link that was sent before.
  return same && !kind.startsWith("organization-setup") ? `has the link of ${same.kind} to ${same.to}` : undefined;
}

/** The mail that tells somebody of an act; none: undefined. */
function noticeOf({ action, details, at }: Entry, besides: ReadonlySet<string>): string | undefined {
  const simple: Record<string, string> = {
    "factor.added": "factor-added",
    "factor.replaced": "factor-added",
    "factor.removed": "factor-removed",
    "factor.code-used": "recovery-code-used",
    "factor.codes-renewed": "recovery-codes-new",
    "factor.guessed": "factor-guessed",
    "personal-token.create": "personal-token-made",
    "user.recovery-link": "recovery-link-made",
    "user.approve": "approved",
    "user.address-restored": "address-restored",
    "password.changed": "password-changed",
  };
  if (action === "method.added") return details["how"] === "create" ? undefined : "method-added";
  // Who restores an address has seen what it removes.
  if (action === "method.removed") return besides.has(`user.address-restored ${at}`) ? undefined : "method-removed";
  if (action === "user.address-changed") return details["canUndo"] === true ? "address-changed" : undefined;
  if (action === "user.update")
    return String(details["fields"]).split(", ").includes("email") ? "address-replaced" : undefined;
  return simple[action];
}

const told = new Set(
  `factor-added factor-removed recovery-code-used recovery-codes-new factor-guessed personal-token-made
  recovery-link-made approved address-restored password-changed method-added method-removed address-changed
  address-replaced`.split(/\s+/u),
);
/** Sent without saying from where: nobody's own act, or a thief's. */
const isSilent = /^(?:factor-guessed|recovery-link-made|address-restored|address-replaced|approved)$/u;

/** What is wrong with the notices of all people; undefined if nothing is. */
export function problemOfNotices(
  {
    entries,
    users,
    rows,
    mails,
  }: {
    entries: readonly Entry[];
    users: ReadonlyMap<string, User>;
    rows: readonly (typeof sentMails.$inferSelect)[];
    mails: readonly MailMessage[];
  },
  writtenAt: (id: string) => number,
): string | undefined {
  const messages = new Map(mails.map((mail) => [mail.id, mail]));
  const sent = Map.groupBy(rows, ({ userId }) => userId);
  for (const [userId, all] of Map.groupBy(entries, ({ userId }) => userId ?? "")) {
    const user = users.get(userId);
    if (!user) continue;
    const besides = new Set(all.map(({ action, at }) => `${action} ${at}`));
    const changes = all.filter(({ action, details }) =>
      action === "user.update" ? /email/u.test(String(details["fields"])) : /address/u.test(action),
    );
    const dropped = all.filter(({ action }) => action === "mail.dropped").length;
    // A change back to an earlier address has the mail of an undo.
    const isBack = (id: string): boolean => besides.has(`user.address-changed ${writtenAt(id)}`);
    const waiting = (sent.get(userId) ?? []).filter(
      ({ id, kind }) => told.has(kind) && (kind !== "address-restored" || !isBack(id)),
    );
    for (const entry of all) {
      const kind = noticeOf(entry, besides);
      if (kind === undefined) continue;
      const place = waiting.findIndex((row) => row.kind === kind && writtenAt(row.id) === entry.at);
      const [row] = place < 0 ? [] : waiting.splice(place, 1);
      // An address that nobody has proven gets few mails.
      const isSure = user.emailVerified && changes.length === 0 && dropped === 0;
      if (!row && isSure) return `${userId} was not told of ${JSON.stringify(entry)}`;
      const message = row && messages.get(row.id);
      if (!message) continue;
      const about = `the mail ${kind} of ${JSON.stringify(entry)}`;
      if (changes.length === 0 && message.to !== user.email) return `${about} went to ${message.to}`;
      // The service acts for who has just given a proof.
      const isPersons = entry.actor === `user:${userId}` || entry.actor.startsWith("service:");
      const isOwn = isPersons && !isSilent.test(kind) && entry.ipAddress !== null;
      const named = /\b\d+\.\d+\.\d+\.\d+\b/u.exec(message.text)?.[0];
      if (named !== (isOwn ? entry.ipAddress : undefined)) return `${about} says it came from ${named}`;
    }
    const [more] = waiting;
    // A reset changes a password, or adds one.
    const resets = new Set(all.filter(({ action }) => action === "password.reset").map(({ at }) => at));
    const odd = waiting.find(
      ({ id, kind }) => !(/^(?:password-|method-added)/u.test(kind) && resets.has(writtenAt(id))),
    );
    if (more && odd) return `${userId} was told ${odd.kind}, and nobody did that`;
    if (waiting.length > resets.size) return `${userId} was told of more resets than ${resets.size}`;
  }
  return undefined;
}
