import { type Answer, json } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { route, type Guard, type Route } from "../http/route.ts";
import { isoTime } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Html } from "../lib/html.ts";
import { pageAnswer } from "../pages/page-answer.ts";
import type { Frame } from "../pages/parts/frame.ts";
import type { Mailbox, MailboxEntry } from "../records/mail/mailbox.ts";
import { mailboxPage, mailPage } from "./mailbox-page.ts";

/** The mailbox of development mode: pages for people, /dev/mail.json for scripts. */
export function mailboxRoutes(
  mailbox: Mailbox,
  { frame, fromHere }: { frame: Frame; fromHere: Guard<undefined> },
): Route[] {
  const at = (path: string, handle: (request: HttpRequest) => Answer): Route =>
    route("GET", path, fromHere, undefined, (_ctx, request) => handle(request));

  function entryOf(request: HttpRequest): MailboxEntry {
    const entry = mailbox.find(request.parameter("id"));
    if (!entry) throw new AppError("UNKNOWN_PATH", "This path does not exist.");
    return entry;
  }

  return [
    at("/dev/mail", () => withFrames(mailboxPage(frame, mailbox.list()))),
    at("/dev/mail.json", () =>
      json({ mails: mailbox.list().map(({ arrivedAt, ...mail }) => ({ ...mail, arrivedAt: isoTime(arrivedAt) })) }),
    ),
    at("/dev/mail/:id", (request) => withFrames(mailPage(frame, entryOf(request)))),
    at("/dev/mail/:id/html", (request) => mailAlone(entryOf(request))),
  ];
}

/** A page with a mail in a frame. */
function withFrames(page: Html): Answer {
  const answer = pageAnswer(page);
  const policy = `${answer.headers["content-security-policy"]}; frame-src 'self'`;
  return { ...answer, headers: { ...answer.headers, "content-security-policy": policy } };
}

/**
 * The mail itself, treated as untrusted: no script, no form, no origin; links open in a new tab.
 */
function mailAlone({ html }: MailboxEntry): Answer {
  const policy = [
    "sandbox allow-popups allow-popups-to-escape-sandbox",
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src https:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": policy,
      "x-frame-options": "SAMEORIGIN",
    },
    body: html.replace("<head>", '<head><base target="_blank" />'),
  };
}
