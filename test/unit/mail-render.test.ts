import { describe, expect, it } from "vitest";
import { contrastOf } from "../../src/look/colours.ts";
import type { Mail, MailMessage } from "../../src/records/mail/mail.ts";
import { renderMail } from "../../src/records/mail/render.ts";
import type { Branding, MailKind } from "../../src/storage/column-types.ts";

const askedAt = Date.UTC(2026, 10, 21, 10, 32);
const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const common = {
  appId: "app_1",
  userId: null,
  to: "a@b.example",
  locale: null,
  origin: { ipAddress: "203.0.113.7", userAgent: firefox },
};
const proof = { link: "https://auth.example/reset/abc?x=1&y=2", code: "12345678", expiresAt: askedAt + 30 * 60_000 };
const passkey = { type: "passkey", name: "Ann's <phone>" } as const;
const about = { organization: "Acme GmbH", person: "bob@b.example" };
const ofProvider = { organization: "Acme GmbH", organizationId: "org_1", provider: "login.acme.example" };
const deleting = { organization: "Acme GmbH", expiresAt: proof.expiresAt };
const inviting = { ...deleting, link: proof.link, inviter: "ada@b.example" };
const kinds: Record<MailKind, Mail> = {
  "sign-up": { kind: "sign-up", ...common, ...proof },
  "sign-in": { kind: "sign-in", ...common, ...proof },
  verify: { kind: "verify", ...common, ...proof },
  reset: { kind: "reset", ...common, ...proof },
  "password-form": { kind: "password-form", ...common, link: proof.link, expiresAt: proof.expiresAt },
  "change-address": { kind: "change-address", ...common, ...proof },
  "address-replaced": { kind: "address-replaced", ...common },
  "address-restored": { kind: "address-restored", ...common },
  "address-changed": { kind: "address-changed", ...common, link: proof.link, expiresAt: proof.expiresAt },
  invite: { kind: "invite", ...common, link: proof.link, expiresAt: proof.expiresAt },
  "known-address": { kind: "known-address", ...common, signInUrl: "https://acme.example/sign-in" },
  "method-added": { kind: "method-added", ...common, method: passkey },
  "method-removed": { kind: "method-removed", ...common, method: { type: "oauth", name: "GitHub" } },
  "password-changed": { kind: "password-changed", ...common },
  "new-device": { kind: "new-device", ...common },
  "factor-added": { kind: "factor-added", ...common },
  "factor-removed": { kind: "factor-removed", ...common },
  "recovery-code-used": { kind: "recovery-code-used", ...common, codesLeft: 9 },
  "recovery-codes-new": { kind: "recovery-codes-new", ...common },
  "factor-guessed": { kind: "factor-guessed", ...common },
  "recovery-link-made": { kind: "recovery-link-made", ...common },
  "personal-token-made": { kind: "personal-token-made", ...common, tokenName: "Backup <script>", endsAt: askedAt },
  "personal-token-ending": { kind: "personal-token-ending", ...common, tokenName: "", endsAt: askedAt },
  "domain-missing": { kind: "domain-missing", ...common, domain: "acme.example", organizationId: "org_1" },
  "domain-lost": { kind: "domain-lost", ...common, domain: "acme.example", organizationId: "org_1" },
  "organization-invite": { kind: "organization-invite", ...common, ...inviting },
  "organization-setup": { kind: "organization-setup", ...common, ...inviting },
  "organization-setup-code": { kind: "organization-setup-code", ...common, ...inviting, code: "12345678" },
  "organization-declined": { kind: "organization-declined", ...common, ...about },
  "organization-provider-changes": { kind: "organization-provider-changes", ...common, ...ofProvider, worksAt: 0 },
  "organization-provider-fails": {
    kind: "organization-provider-fails",
    ...common,
    ...ofProvider,
    since: 0,
    reason: "discovery: status 500",
  },
  "organization-relink": { kind: "organization-relink", ...common, ...ofProvider, endsAt: 0, lastUsedAt: 0 },
  "organization-owner-added": { kind: "organization-owner-added", ...common, ...about },
  "organization-owner-removed": { kind: "organization-owner-removed", ...common, ...about },
  approved: { kind: "approved", ...common, sentence: "Welcome.", link: "https://acme.example/" },
  refused: { kind: "refused", ...common, sentence: "The pilot is full." },
  "accounts-waiting": { kind: "accounts-waiting", ...common, waiting: 3, link: "https://console.example/console" },
  "organization-deleted": { kind: "organization-deleted", ...common, ...deleting, organizationId: "org_acme" },
};
const everyKind = Object.values(kinds);

function application(branding: Partial<Branding> = {}, name = "Acme") {
  return {
    name,
    settings: { mailName: null },
    branding: { logo: null, primaryColor: null, companyName: null, ...branding },
  };
}

function rendered(mail: Mail, app = application()): MailMessage {
  return renderMail(mail, { id: "mail_1", application: app, baseUrl: "https://auth.example", askedAt });
}

/** What a reader of HTML reads. */
function wordsOf(html: string): string {
  return html
    .replace(/<style>[\s\S]*?<\/style>|<title>[\s\S]*?<\/title>/gu, "")
    .replaceAll(/<[^>]+>/gu, " ")
    .replaceAll("&amp;", "&")
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll(/\s+/gu, " ");
}

describe("a mail", () => {
  it("to reset a password says everything in plain text", () => {
    const { subject, text } = rendered(kinds.reset);
    expect(subject).toBe("12345678 – Reset your Acme password");
    expect(text).toBe(`Reset your Acme password

You asked to choose a new password for your Acme account.

Reset password
https://auth.example/reset/abc?x=1&y=2

Or enter this code on the page that asks for it:
1234 5678

The link and the code work once, until November 21, 2026 at 11:02 AM UTC.

When: November 21, 2026 at 10:32 AM UTC
Device: Firefox on Windows
IP address: 203.0.113.7

If it wasn't you
Do nothing. Your password stays as it is. Don't share the link or the code: anybody who has either one can change your password.
`);
  });

  it.each(everyKind)(
    "of kind $kind has its code, if it has one, in its subject, for a phone's notification",
    (mail) => {
      expect(rendered(mail).subject.startsWith("12345678 – ")).toBe("code" in mail);
    },
  );

  it("tells times in the zone of the browser that asked, and names it", () => {
    const { text } = rendered({ ...kinds.reset, origin: { ...common.origin, timeZone: "America/New_York" } });
    expect(text).toContain("until November 21, 2026 at 6:02 AM EST.");
    expect(text).toContain("When: November 21, 2026 at 5:32 AM EST\n");
  });

  it("shows the app's initial in its colour where it has no logo", () => {
    const { html } = rendered(kinds.reset, application({ primaryColor: "#5b4be0" }));
    expect(html).toMatch(/background-color:#5b4be0[^>]*aria-hidden="true">A<\/span>Acme/u);
  });

  it.each(everyKind)("of kind $kind says the same as HTML as in plain text", (mail) => {
    const { text, html } = rendered(mail);
    const words = wordsOf(html);
    for (const line of text.split("\n")) expect(words).toContain(line.replaceAll(/\s+/gu, " "));
  });

  it.each(everyKind)("of kind $kind says when and from where, and what to do if it wasn't you", (mail) => {
    const { text } = rendered(mail);
    expect(text).toContain(
      "\nWhen: November 21, 2026 at 10:32 AM UTC\nDevice: Firefox on Windows\nIP address: 203.0.113.7\n",
    );
    expect(text).toMatch(/\n\nIf (?:it wasn't you|you didn't expect this)\n\S.+\n$/u);
  });

  it("about an account leads to the account page of its app, under the base URL and nowhere else (security rule R5)", () => {
    for (const kind of ["method-added", "method-removed", "password-changed", "new-device"] as const) {
      const { text, html } = rendered({ ...kinds[kind], appId: "app 1&" });
      const addresses = `${text}${html.replaceAll("&amp;", "&")}`.match(/https?:\/\/[^\s"<]+/gu) ?? [];
      expect(new Set(addresses)).toEqual(new Set(["https://auth.example/account?app_id=app%201%26"]));
    }
  });

  it("to a known address holds no code, and no button where nobody knows the way", () => {
    const { text, html } = rendered({ ...common, kind: "known-address", signInUrl: null });
    expect(text).not.toMatch(/\d{4} \d{4}|https?:/u);
    expect(html).not.toContain("<a ");
  });

  it("names the method that was added or removed", () => {
    expect(rendered(kinds["method-added"]).text).toContain("\n\nPasskey – Ann's <phone>\n\n");
    expect(rendered(kinds["method-removed"]).text).toContain("\n\nGitHub\n\n");
    const nameless: Mail = { ...common, kind: "method-removed", method: { type: "oauth", name: null } };
    expect(rendered(nameless).text).toContain("\n\nAccount with another service\n\n");
    const endless: Mail = {
      ...common,
      kind: "method-added",
      method: { type: "passkey", name: `a\nb${"x".repeat(500)}` },
    };
    expect(rendered(endless).text).toMatch(/\n\nPasskey – a bx{61}\n\n/u);
  });

  it("shows nothing of a user agent that is not a word of ours (security rules H6, G3)", () => {
    const userAgent = "Call +1 555 0100 <b>now</b>\r\nChrome/1 on Windows";
    const { text, html } = rendered({ ...kinds.reset, origin: { ipAddress: null, userAgent } });
    expect(text).toContain("\nDevice: Chrome on Windows\n");
    expect(`${text}${html}`).not.toMatch(/555|now/u);
    const unknown = rendered({ ...kinds.reset, origin: { ipAddress: null, userAgent: "curl/8" } });
    expect(unknown.text).not.toMatch(/Device|IP address/u);
  });

  it("shows the app's logo by https and no other picture, and the company's name before the app's", () => {
    const branded = application({ logo: "https://acme.example/logo.png", companyName: "Acme GmbH" });
    const { html, senderName, subject } = rendered(kinds.reset, branded);
    expect(html.match(/<img[^>]*>/gu)).toHaveLength(1);
    expect(html).toMatch(/<img src="https:\/\/acme\.example\/logo\.png" alt="Acme GmbH"/u);
    expect([senderName, subject]).toEqual(["Acme GmbH", "12345678 – Reset your Acme GmbH password"]);
    const uploaded = `/pictures/${"r".repeat(22)}/${"d".repeat(16)}`;
    const ofService = rendered(kinds.reset, application({ logo: `${uploaded}#light` })).html;
    expect(ofService).toMatch(new RegExp(`<img src="https://[^"/]+${uploaded}" [^>]*background-color:#ffffff"`, "u"));
    expect(rendered(kinds.reset, application({ logo: "http://acme.example/logo.png" })).html).not.toContain("<img");
  });

  it.each(["#ffee00", "#4f46e5", "#000000", "#ffffff"])("has a button that can be read in %s", (primaryColor) => {
    const { html } = rendered(kinds.reset, application({ primaryColor }));
    const [, ground = "", ink = ""] =
      /class="button"[^>]*background-color:(#[0-9a-f]{6});color:(#[0-9a-f]{6})/u.exec(html) ?? [];
    expect(contrastOf(ground, ink)).toBeGreaterThanOrEqual(4.5);
    const [, darkGround = "", darkInk = ""] =
      /\.button \{\s*background-color: (#[0-9a-f]{6}) !important;\s*color: (#[0-9a-f]{6})/u.exec(html) ?? [];
    expect(contrastOf(darkGround, darkInk)).toBeGreaterThanOrEqual(4.5);
  });

  it("speaks the reader's language, dates included, and runs from right to left where that does", () => {
    const german = rendered({ ...kinds.reset, locale: "de-AT" });
    expect(german.subject).toBe("12345678 – Setzen Sie Ihr Passwort für Acme zurück");
    expect(german.text).toContain("21. November 2026");
    const arabic = rendered({ ...kinds.reset, locale: "ar" });
    expect(arabic.html).toContain('<html lang="ar" dir="rtl">');
    expect(arabic.html).toMatch(/<span class="code" dir="ltr"[^>]*>1234 5678</u);
    expect(arabic.html).toMatch(/<a class="link" href="[^"]*" dir="ltr"/u);
  });

  it("is the same bytes each time it is tried", () => {
    for (const mail of everyKind) expect(rendered(mail)).toEqual(rendered(mail));
  });
});
