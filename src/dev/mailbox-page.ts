import { html, type Html } from "../lib/html.ts";
import { framePage, type Frame } from "../pages/parts/frame.ts";
import type { MailboxEntry } from "../records/mail/mailbox.ts";
import { age } from "./age.ts";
import { stylesheetPath as stylesheet } from "./stylesheet.ts";

/** GET /dev/mail: for developers, so in English and without translations. */
export function mailboxPage(frame: Frame, entries: readonly MailboxEntry[], now: number): Html {
  const title = "Mailbox";
  const body = html`<div>
      <h1>${title}</h1>
      <p class="hint">
        What this service would send, kept in memory until it stops. Nothing leaves this machine. Set mail.smtpUrl to
        send for real.
      </p>
    </div>
    ${
      entries.length === 0
        ? html`<p>No mail yet. Reload this page after asking for some.</p>`
        : html`<ul class="rows">
            ${entries.map(
              ({ id, subject, to, arrivedAt }) =>
                html`<li>
                  <a href="/dev/mail/${id}"><bdi>${subject}</bdi></a>
                  <div class="hint">To ${to}, ${age(arrivedAt, now)}</div>
                </li>`,
            )}
          </ul>`
    }`;
  return framePage(frame, { title, body, stylesheet });
}

/** GET /dev/mail/:id: the mail as HTML and as plain text. */
export function mailPage(frame: Frame, mail: MailboxEntry, now: number): Html {
  const { id, subject, to, kind, arrivedAt, text, language } = mail;
  const body = html`<p><a href="/dev/mail">Mailbox</a></p>
    <div>
      <h1><bdi>${subject}</bdi></h1>
      <p class="hint">To ${to}, ${age(arrivedAt, now)} · ${kind} · ${language}</p>
    </div>
    <iframe
      title="The mail as HTML"
      src="/dev/mail/${id}/html"
      sandbox="allow-popups allow-popups-to-escape-sandbox"
    ></iframe>
    <h2>Plain text</h2>
    <pre dir="auto">${withLinks(text)}</pre>`;
  return framePage(frame, { title: subject, body, stylesheet });
}

function withLinks(text: string): Html[] {
  return text
    .split(/(https?:\/\/\S+)/u)
    .map((part) =>
      /^https?:\/\//u.test(part) ? html`<a href="${part}" target="_blank" rel="noopener">${part}</a>` : html`${part}`,
    );
}
