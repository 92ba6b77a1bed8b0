import { vi } from "vitest";
import type { Mail } from "../../src/records/mail/mail.ts";
import * as mail from "../../src/records/mail/service.ts";
import * as userAdministration from "../../src/people/administration.ts";
import * as newUsers from "../../src/people/new-users.ts";
import * as users from "../../src/users/service.ts";
import type { User } from "../../src/users/user.ts";
import type { MailServer, ReceivedMail } from "./mail.ts";
import { goodPassword, initiate, newEmail, Visitor, type Page, type Session } from "./person.ts";
import type { TestApp, TestService } from "./service.ts";

/** The mail that is the `count`-th to an address with such a subject, once it is there. */
export async function mailTo(server: MailServer, address: string, count = 1, subject = /^/u): Promise<ReceivedMail> {
  return await vi.waitFor(
    () => {
      const mail = server.to(address).filter((received) => subject.test(received.subject))[count - 1];
      if (!mail) throw new Error(`${server.to(address).length} mails to ${address}`);
      return mail;
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** A mail to reset a password, of no session. */
export function resetMail(
  { clock }: TestService,
  appId: string,
  given: Partial<Mail> & { expiresAt?: number } = {},
): Mail {
  return {
    kind: "reset",
    appId,
    userId: null,
    to: newEmail(),
    locale: null,
    origin: { ipAddress: "203.0.113.7", userAgent: null },
    link: "https://auth.example/reset/the-link",
    code: "12345678",
    expiresAt: clock.now + 30 * 60_000,
    ...given,
  } as Mail;
}

/** Puts a mail into the outbox, as a transaction of the service does. */
export async function enqueue({ server, clock }: TestService, queued: Mail): Promise<void> {
  const { ctx } = server.app;
  await ctx.storage.write((tx) => mail.enqueue(ctx, tx, queued, clock.now));
}

/** Waits until everything that was asked for is sent. */
export async function allSent(service: TestService): Promise<void> {
  await vi.waitFor(
    async () => {
      const { mails } = await mail.pending(service.server.app.ctx);
      if (mails > 0) throw new Error(`${mails} mails are waiting`);
    },
    { timeout: 60_000, interval: 20 },
  );
}

export function linkIn(mail: ReceivedMail): string {
  const link = /https?:\/\/\S+\/(?:confirm|reset|restore|invite|setup)\/\S+/u.exec(mail.text)?.[0];
  if (link === undefined) throw new Error(`no link in ${mail.text}`);
  return link;
}

/** Opens a mailed link, and sends the form of its page. */
export async function useMailed(link: string, fields: Record<string, string> = {}, visitor = new Visitor()) {
  return await visitor.submit(await visitor.get(link), new URL(link).pathname, fields);
}

export async function methodKinds(service: TestService, userId: string) {
  return (await userAdministration.get(service.server.app.ctx, userId)).authMethods;
}

export function secretIn(mail: ReceivedMail): string {
  return linkSecret(linkIn(mail));
}

/** The last part of a mailed link's path. */
export function linkSecret(link: string): string {
  return new URL(link).pathname.split("/").at(-1) ?? "";
}

/** As the mail shows it: "1234 5678". */
export function codeIn(mail: ReceivedMail): string {
  const code = /^\d{4} \d{4}$/mu.exec(mail.text)?.[0];
  if (code === undefined) throw new Error(`no code in ${mail.text}`);
  return code;
}

/** A code that is not the one in the mail. */
export function otherCode(mail: ReceivedMail, nth = 1): string {
  const number = (Number(codeIn(mail).replace(" ", "")) + nth) % 100_000_000;
  return String(number).padStart(8, "0");
}

/** Goes where a redirect leads within the service. */
export async function follow(visitor: Visitor, page: Page): Promise<Page> {
  return await visitor.get(new URL(page.headers.get("location") ?? "", page.url).href);
}

export type Asking = { visitor: Visitor; session: Session; email: string; page: Page };

/** Asks for an account and stops at the page that waits for the code. */
export async function askForAccount(
  service: TestService,
  app: TestApp,
  { email = newEmail(), password = goodPassword, name = "", visitor = new Visitor() } = {},
): Promise<Asking> {
  const session = await initiate(service, app);
  const form = await visitor.get(`${session.authUrl}/create-account`);
  const answer = await visitor.submit(form, "/create-account", { email, name, password });
  if (answer.status !== 303) throw new Error(`sign-up answered ${answer.status}: ${answer.text}`);
  return { visitor, session, email, page: await follow(visitor, answer) };
}

/** A new user who has signed up and confirmed the address. */
export async function confirmedUser(
  service: TestService,
  server: MailServer,
  app: TestApp,
  person: { email?: string; password?: string; name?: string } = {},
): Promise<{ email: string; visitor: Visitor; session: Session; code: string }> {
  const { visitor, session, email, page } = await askForAccount(service, app, person);
  const mail = await mailTo(server, email);
  const done = await visitor.submit(page, "/confirm", { code: codeIn(mail) });
  if (done.status !== 303) throw new Error(`confirming answered ${done.status}: ${done.text}`);
  return { email, visitor, session, code: done.location.searchParams.get("code") ?? "" };
}

/** Asks for a new password and stops at the page that waits for the code. */
export async function askForReset(
  service: TestService,
  app: TestApp,
  email: string,
  visitor = new Visitor(),
): Promise<Asking> {
  const session = await initiate(service, app);
  const form = await visitor.get(`${session.authUrl}/forgot-password`);
  const page = await visitor.submit(form, "/forgot-password", { email });
  if (page.status !== 200) throw new Error(`asking answered ${page.status}: ${page.text}`);
  return { visitor, session, email, page };
}

/** Whether a reset has changed the password: in the browser that asked, it also signs in. */
export function hasReset(page: Page): boolean {
  return (
    page.text.includes("Your password is changed") || (page.status === 303 && page.location.searchParams.has("code"))
  );
}

/** A page without what is made anew for each browser, session and address. */
export function comparable(page: Page, { session, email }: Pick<Asking, "session" | "email">): string {
  return page.text
    .replaceAll(session.sessionId, "SESSION")
    .replaceAll(email, "EMAIL")
    .replaceAll(/name="token" value="[^"]*"/gu, "TOKEN");
}

/** What a page says, as a person reads it. */
export function said(page: Page): string {
  return page.text.replaceAll("&#39;", "'");
}

const operator = { kind: "cli", name: "test" } as const;

/** A user who is just there. Without a password there is none. */
export async function newUser(
  service: TestService,
  app: TestApp,
  {
    email = newEmail(),
    emailVerified = true,
    password,
  }: { email?: string; emailVerified?: boolean; password?: string } = {},
): Promise<{ id: string; email: string }> {
  const { ctx } = service.server.app;
  const user = { appId: app.id, email, emailVerified, name: "Ann", password };
  const { id } = await newUsers.create(ctx, user, { dryRun: false }, { actor: operator });
  return { id, email };
}

export async function disableUser(service: TestService, id: string): Promise<void> {
  await userAdministration.disable(service.server.app.ctx, id, { dryRun: false }, { actor: operator });
}

/** The user of an app who has this address. */
export async function userWith(service: TestService, app: TestApp, email: string): Promise<User | undefined> {
  return await users.findByEmail(service.server.app.ctx.storage.reader, app.id, email);
}

/** Asks for a code to sign in, and stops at the page that waits for it. */
export async function askForCode(
  service: TestService,
  app: TestApp,
  email: string,
  visitor = new Visitor(),
  given?: Session,
): Promise<Asking> {
  const session = given ?? (await initiate(service, app));
  const form = await visitor.get(`${session.authUrl}/email-code`);
  const answer = await visitor.submit(form, "/email-code", { email });
  if (answer.status !== 303) throw new Error(`asking answered ${answer.status}: ${answer.text}`);
  return { visitor, session, email, page: await follow(visitor, answer) };
}
