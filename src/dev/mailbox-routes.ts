import { type Answer, json } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { route, type Guard, type Route } from "../http/route.ts";
import { isoTime } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { framedMail, withMailFrames } from "../pages/framed-mail.ts";
import { pageAnswer } from "../pages/page-answer.ts";
import type { Frame } from "../pages/parts/frame.ts";
import type { Mailbox, MailboxEntry } from "../records/mail/mailbox.ts";
import { mailboxPage, mailPage } from "./mailbox-page.ts";

/** The mailbox of development mode: pages for people, /dev/mail.json for scripts. */
export function mailboxRoutes(
  mailbox: Mailbox,
  { frame, fromHere }: { frame: Frame; fromHere: Guard<undefined> },
): Route[] {
  const at = (path: string, handle: (request: HttpRequest, now: number) => Answer): Route =>
    route("GET", path, fromHere, undefined, ({ clock }, request) => handle(request, clock()));

  function entryOf(request: HttpRequest): MailboxEntry {
    const entry = mailbox.find(request.parameter("id"));
    if (!entry) throw new AppError("UNKNOWN_PATH", "This path does not exist.");
    return entry;
  }

  return [
    at("/dev/mail", (_request, now) => pageAnswer(mailboxPage(frame, mailbox.list(), now))),
    at("/dev/mail.json", () =>
      json({ mails: mailbox.list().map(({ arrivedAt, ...mail }) => ({ ...mail, arrivedAt: isoTime(arrivedAt) })) }),
    ),
    at("/dev/mail/:id", (request, now) => withMailFrames(pageAnswer(mailPage(frame, entryOf(request), now)))),
    at("/dev/mail/:id/html", (request) => framedMail(entryOf(request).html)),
  ];
}
